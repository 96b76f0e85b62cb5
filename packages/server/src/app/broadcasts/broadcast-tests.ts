// Tests of a draft: real messages to a few named people, with the rules of tests (waits end at once, no budget counts).
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, failure } from "../../failure.ts";
import { acceptEvents } from "../../pipeline/trigger/accept.ts";
import { storeAndStart } from "../../pipeline/trigger/trigger.ts";
import { keepTestVersion } from "../../store/workflows/versions.ts";
import { findWorkflow } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { offerBroadcastPreferences, resolveContent } from "./broadcast-content.ts";
import { namedPeople } from "./broadcast-preview.ts";
import { requireBroadcast } from "./broadcasts.ts";

/** One event for each person. One that is refused refuses all: the transaction of the request is rolled back. */
export async function test(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId }, body }: Input<"broadcasts.test">,
): Promise<Output<"broadcasts.test">> {
  const { environmentId } = caller;
  const incomplete = (reason: string) => failure("BROADCAST_INCOMPLETE", { broadcastId, reason });
  const draft = await requireBroadcast(ctx, environmentId, broadcastId);
  const people = await namedPeople(ctx, environmentId, body.subscriberIds);
  await offerBroadcastPreferences(ctx, caller, draft.content);
  const content = await resolveContent(ctx, caller, draft);
  if ("fault" in content) throw incomplete(content.fault);
  const { row, target } = content;
  // The number of a version is found under the lock of its workflow.
  await findWorkflow(ctx.db, environmentId, target.id, { lock: true });
  const version = { ...row, definition: { ...row.definition, isTest: true as const } };
  const versionId = await keepTestVersion(ctx.db, environmentId, version);
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const events = people.map(({ subscriber_id: subscriberId }) => ({
    request: {},
    event: { name: target.workflow_id, to: subscriberId, payload: structuredClone(draft.content.payload ?? {}) },
  }));
  const options = { targets: [{ ...target, version_id: versionId }], store: storeAndStart };
  const outcomes = await acceptEvents(batch, caller, events, options);
  const data = events.map(({ request, event }) => {
    const outcome = outcomes.get(request)!;
    if (outcome instanceof Failure) throw outcome;
    const { status, error = [status], transactionId } = outcome[0]!.result;
    if (status !== "processed" || transactionId === undefined) throw incomplete(error.join("; "));
    return { transactionId, subscriberId: event.to };
  });
  return { data };
}
