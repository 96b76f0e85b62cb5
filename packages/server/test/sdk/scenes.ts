// What a scene is handed. Scenes run in order and build on each other, as the days of a real team do.
import type { TestService } from "@tidings/testkit/service";
import type { Sdk } from "./sdk.ts";

export type Scene = (stage: { sdk: Sdk; service: TestService }) => Promise<void>;
