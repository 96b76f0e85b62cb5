import { statement } from "../../world/session.ts";

export * from "../../../../src/store/webhooks/webhooks.batch.ts";

/** The environment of the simulation has no webhooks. */
export const findWebhookTargets = statement(
  "findWebhookTargets",
  (_tx, environmentIds: string[]) => new Map(environmentIds.map((id) => [id, []])),
);
