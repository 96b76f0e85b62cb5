// Bridges: workflows defined in the customer's code. The service reads them from the customer's address, and requests
// each step's content from it. See docs/bridge.md.
import { operation } from "../../operation.ts";
import { named, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

export const maxBridgedWorkflows = 200;

const workflowIds = (description: string) => Type.Array(Type.String(), { description });

export const BridgeSync = named("BridgeSync", {
  bridgeUrl: Type.String(secret("editor", "host and path")),
  created: workflowIds("Identifiers of new workflows"),
  updated: workflowIds("Workflows that changed in the code: each has a new version"),
  unchanged: workflowIds("Unchanged workflows"),
  missing: workflowIds(
    "Workflows of this bridge that are no longer in its code. They are kept, and their events fail at the first " +
      "step: delete them, or add them back to the code.",
  ),
});
export type BridgeSync = Static<typeof BridgeSync>;

export const bridgeOperations = {
  "bridge.sync": operation({
    id: "bridge.sync",
    method: "POST",
    path: "/v1/bridge/sync",
    summary: "Sync the workflows defined in your code",
    description:
      "Requests the bridge's workflows and creates or updates them, all or nothing. Syncing again without a code " +
      "change has no effect. See docs/bridge.md.",
    category: "configuration",
    audit: "everyone",
    query: Type.Object({
      source: Type.Optional(Type.String({ maxLength: 100, description: "The calling program; not used" })),
    }),
    body: Type.Object(
      {
        bridgeUrl: Type.String({
          minLength: 1,
          maxLength: 2_048,
          description: "Address of the code, such as https://example.com/api/novu",
          ...secret("editor", "host and path"),
        }),
      },
      { title: "BridgeSyncIn" },
    ),
    success: { status: 200, schema: BridgeSync },
    errors: ["BRIDGE_SYNC_FAILED", "BRIDGE_WORKFLOW_TAKEN"],
  }),
};
