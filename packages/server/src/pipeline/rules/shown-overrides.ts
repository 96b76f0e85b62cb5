// Overrides as answers and webhooks show them. What an event passes through to a provider may carry a credential of the
// caller's in a header or in the query: its value is masked wherever overrides are shown.
import { isObject } from "../../lib/json.ts";
import type { Sealed } from "../../lib/sealed.ts";
import { mask, type Secrets } from "../../lib/secrets.ts";
import { openOverrides } from "../encrypted-parts.ts";

type JsonObject = Record<string, unknown>;

const credentialName = /auth|api-?key|cookie|token|secret|password|signature|credential/i;

export const shownOverrides = (secrets: Secrets, stored: Sealed<JsonObject> | null): JsonObject | undefined => {
  const overrides = openOverrides(secrets, stored);
  return overrides === null ? undefined : (shown(overrides) as JsonObject);
};

/** `_passthrough` may stand under a provider, under a channel and under a step. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "_passthrough" && isObject(member) ? shownPassthrough(member) : shown(member),
  ]);
  return Object.fromEntries(members);
}

const shownPassthrough = ({ headers, query, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  ...(headers === undefined ? {} : { headers: maskNamed(headers) }),
  ...(query === undefined ? {} : { query: maskNamed(query) }),
});

const maskNamed = (lines: unknown): unknown =>
  isObject(lines)
    ? Object.fromEntries(Object.entries(lines).map(([name, value]) => [name, credentialName.test(name) ? mask : value]))
    : lines;
