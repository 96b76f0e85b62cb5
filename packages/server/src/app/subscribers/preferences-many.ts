// One preference of many subscribers at once: the same channels, for one workflow or globally, without contexts.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import {
  findPreferencesOfMany,
  listPreferenceWorkflows,
  mergePreferenceOfMany,
} from "../../store/subscribers/preferences.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import { channelsInUse, viewEntry, viewGlobal } from "./preference-view.ts";
import { requireWorkflows } from "./preferences.ts";

export async function updateMany(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"preferences.updateMany">,
): Promise<Output<"preferences.updateMany">> {
  const { environmentId } = caller;
  const { workflowId, channels } = body;
  if (Object.keys(channels).length === 0) throw invalid({ channels: { messages: ["channels must not be empty"] } });
  const keys = [...new Set(body.subscriberIds.map((id) => id.trim()))];
  const [workflow] = workflowId === undefined ? [] : await requireWorkflows(ctx, caller, [workflowId], "Workflow");
  const subscribers = await findSubscribersByKeys(ctx.db, environmentId, keys);
  const ids = subscribers.map((row) => row.id);
  const now = ctx.now();
  await mergePreferenceOfMany(ctx.db, environmentId, {
    subscriberIds: ids,
    change: { workflow_id: workflow?.id ?? null, channels },
    now,
  });
  await emit(ctx, { environmentId, type: "preference.updated", at: now }, async () => {
    const stored = Map.groupBy(
      await findPreferencesOfMany(ctx.db, environmentId, ids),
      ({ subscriber_id }) => subscriber_id,
    );
    const used = workflow ? [] : channelsInUse(await listPreferenceWorkflows(ctx.db, environmentId));
    return subscribers.map((subscriber) => {
      const own = stored.get(subscriber.id) ?? [];
      const entry = workflow ? viewEntry(workflow, own, []) : { level: "global", ...viewGlobal(own, [], used) };
      return { object: { ...entry, contextKeys: [] }, subscriberId: subscriber.subscriber_id };
    });
  });
  const found = new Set(subscribers.map((row) => row.subscriber_id));
  return { updated: subscribers.length, notFound: keys.filter((key) => !found.has(key)) };
}
