// Bridges: workflows that are defined in the customer's code. The service reads them from an address of the customer, and asks
// that address for the content of each step. See docs/bridge.md.
import { operation } from "../../operation.ts";
import { named, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

export const mostBridgedWorkflows = 200;

const workflowIds = (description: string) => Type.Array(Type.String(), { description });

export const BridgeSync = named("BridgeSync", {
  bridgeUrl: Type.String(secret("editor", "host and path")),
  created: workflowIds("Identifiers of workflows that are new"),
  updated: workflowIds("Workflows that the code has changed: each has a new version"),
  unchanged: workflowIds("Workflows that are as they were"),
  missing: workflowIds(
    "Workflows of this bridge that its code does not have any more. They are kept, and their events fail at the first step: delete them, or put them back into the code.",
  ),
});
export type BridgeSync = Static<typeof BridgeSync>;

export const bridgeOperations = {
  "bridge.sync": operation({
    id: "bridge.sync",
    method: "POST",
    path: "/v1/bridge/sync",
    summary: "Read the workflows that the customer's code defines",
    description:
      "Asks the bridge for its workflows and creates or updates them, all or none. Syncing again without a change of the code changes nothing. See docs/bridge.md.",
    category: "configuration",
    query: Type.Object({
      source: Type.Optional(Type.String({ maxLength: 100, description: "Which program asks; not used" })),
    }),
    body: Type.Object(
      {
        bridgeUrl: Type.String({
          minLength: 1,
          maxLength: 2_048,
          description: "Where the code answers, such as https://example.com/api/novu",
          ...secret("editor", "host and path"),
        }),
      },
      { title: "BridgeSyncIn" },
    ),
    success: { status: 200, schema: BridgeSync },
    errors: ["BRIDGE_SYNC_FAILED", "BRIDGE_WORKFLOW_TAKEN"],
  }),
};
