// The kinds of alert rules, by name.
import type { AlertKindName } from "@tidings/contract";
import type { AlertKind } from "./kind.ts";
import { integrationFailing } from "./kinds/integration-failing.ts";

export const kindsByName: { [K in AlertKindName]?: AlertKind<K> } = {
  integration_failing: integrationFailing,
};
