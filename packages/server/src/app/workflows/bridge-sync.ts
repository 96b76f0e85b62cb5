// Syncing a bridge: its workflows are read before the transaction, and stored in it. A sync without a change of the
// code creates no new versions.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { canonicalJson } from "../../lib/json.ts";
import { bridgeUrlFault } from "../../pipeline/bridge/bridge-url.ts";
import { callBridge } from "../../pipeline/bridge/call.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import { listLiveKeys } from "../../store/environments/api-keys.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { lockWorkflowsOfSync, upsertBridge } from "../../store/workflows/bridges.ts";
import {
  insertWorkflow,
  replaceWorkflow,
  type StoredStep,
  versionOf,
  type WorkflowContent,
  type WorkflowRow,
} from "../../store/workflows/workflows.ts";
import { callProvider } from "../integrations/integration-checks.ts";
import { type DiscoveredWorkflow, DiscoveryError, readDiscovery } from "./bridge-discovery.ts";
import { diffContents, summarizeDiff } from "./version-diff.ts";
import { defaultSettings } from "./workflow-content.ts";
import { view } from "./workflows.ts";

/** Asks the bridge, with a call that the caller's key signs. */
export async function discover(
  ctx: NetworkCtx,
  { environmentId, apiKeyId }: Caller,
  { body }: Input<"bridge.sync">,
): Promise<DiscoveredWorkflow[]> {
  const { bridgeUrl: url } = body;
  const fault = bridgeUrlFault(url);
  if (fault) throw invalid({ bridgeUrl: { messages: [`bridgeUrl ${fault}`], value: url.slice(0, 255) } });
  const { host } = new URL(url);
  const keys = await listLiveKeys(ctx.db, environmentId);
  const secret = keys.find(({ id }) => id === apiKeyId)?.secret ?? keys[0]!.secret;
  const call = { url, key: ctx.secrets.decrypt(secret), query: { action: "discover" }, now: ctx.now() } as const;
  const reply = await callProvider(ctx, { environmentId }, () => callBridge(ctx.webhookHttp, call));
  if (reply.kind !== "answered") throw failure("BRIDGE_SYNC_FAILED", { host, reason: reply.reason });
  try {
    return readDiscovery(reply.body);
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    throw failure("BRIDGE_SYNC_FAILED", { host, reason: error.message });
  }
}

export async function sync(
  ctx: Ctx,
  caller: Caller,
  { body: { bridgeUrl } }: Input<"bridge.sync">,
  found: DiscoveredWorkflow[],
): Promise<Output<"bridge.sync">> {
  const { environmentId, apiKeyId } = caller;
  const now = ctx.now();
  // Two syncs at once must not create the same workflow.
  await lockEnvironment(ctx.db, environmentId);
  const identifiers = found.map(({ workflowId }) => workflowId);
  const stored = await lockWorkflowsOfSync(ctx.db, environmentId, bridgeUrl, identifiers);
  const byId = new Map(stored.map((row) => [row.workflow_id, row]));
  const taken = identifiers.find((id) => byId.has(id) && byId.get(id)!.origin !== "external");
  if (taken !== undefined) throw failure("BRIDGE_WORKFLOW_TAKEN", { workflowId: taken });

  await upsertBridge(ctx.db, environmentId, { url: bridgeUrl, apiKeyId, now });
  const result: Output<"bridge.sync"> = { bridgeUrl, created: [], updated: [], unchanged: [], missing: [] };
  for (const workflow of found) {
    const outcome = await store(ctx, caller, bridgeUrl, workflow, byId.get(workflow.workflowId));
    result[outcome].push(workflow.workflowId);
  }
  const isFound = new Set(identifiers);
  result.missing = stored.map((row) => row.workflow_id).filter((id) => !isFound.has(id));
  return result;
}

async function store(
  ctx: Ctx,
  { environmentId, userId }: Caller,
  bridgeUrl: string,
  workflow: DiscoveredWorkflow,
  row: WorkflowRow | undefined,
): Promise<"created" | "updated" | "unchanged"> {
  const at = ctx.now();
  const next: WorkflowContent = {
    ...(row ? contentOf(row) : newContent(ctx)),
    workflow_id: workflow.workflowId,
    name: workflow.name,
    description: workflow.description,
    tags: workflow.tags,
    severity: workflow.severity,
    payload_schema: workflow.payloadSchema,
    preferences_default: workflow.preferences,
    steps: toSteps(ctx, workflow, row?.steps ?? []),
    origin: "external",
    bridge_url: bridgeUrl,
    updated_at: at,
    updated_by: userId,
  };
  if (!row) {
    const created = await insertWorkflow(ctx.db, environmentId, {
      versionId: ctx.newId(),
      content: next,
      summary: "Synced from code",
    });
    const object = async () => [{ object: await view(ctx, created) }];
    await emit(ctx, { environmentId, type: "workflow.created", at }, object);
    return "created";
  }
  const versionFor = (content: WorkflowContent) => versionOf(environmentId, row.version_id, content, "");
  const [before, after] = [versionFor(contentOf(row)), versionFor(next)];
  const isSame =
    row.bridge_url === bridgeUrl &&
    canonicalJson([before.definition, before.settings]) === canonicalJson([after.definition, after.settings]);
  if (isSame) return "unchanged";
  const summary = summarizeDiff(diffContents(before, after));
  const saved = await replaceWorkflow(ctx.db, environmentId, { versionId: ctx.newId(), content: next, summary });
  await emit(ctx, { environmentId, type: "workflow.updated", at }, async () => [
    { object: await view(ctx, saved), previousObject: await view(ctx, row) },
  ]);
  return "updated";
}

function contentOf({ environment_id, version_id, created_at, deleted_at, ...content }: WorkflowRow): WorkflowContent {
  return content;
}

/**
 * What the code does not decide. Payloads are checked by the code, whose validators may be wider than their schemas.
 */
const newContent = (ctx: Ctx) => ({
  ...defaultSettings,
  id: ctx.newId(),
  active: true,
  preferences_user: null,
  last_published_at: null,
  last_published_by: null,
});

/** A step keeps its id and its control values as long as its id in the code and its type stay the same. */
const toSteps = (ctx: Ctx, { steps }: DiscoveredWorkflow, stored: StoredStep[]): StoredStep[] =>
  steps.map(({ stepId, type, controlSchema }) => {
    const before = stored.find((step) => step.stepId === stepId && step.type === type);
    return {
      ...(before ?? { id: ctx.newId(), controlValues: {}, shouldStopOnFail: false }),
      stepId,
      type,
      name: stepId,
      active: true,
      controlSchema,
    };
  });
