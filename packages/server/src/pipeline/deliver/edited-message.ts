// A failed message, created again from another payload: its step runs once more, by the version of the workflow that
// the event began with, for the same recipient. Its id and its address stay.
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findFailedMessage, type NewContent, replaceContent } from "../../store/messages/dead-letter-replays.ts";
import type { DeadLetterRow } from "../../store/messages/dead-letters.ts";
import { openBatch } from "../batch.ts";
import { openAddress, sealMessage } from "../encrypted-parts.ts";
import { makeMessages } from "../run/advance.ts";
import { loadDigests } from "../run/digests.ts";
import { loadFacts } from "../run/facts.ts";
import type { MessageDraft } from "../run/run.ts";
import { loadRuns } from "../run/wake.ts";

/** `fault`: why no message can be created from the payload. */
type Edited = { kind: "replaced" } | { kind: "gone" } | { kind: "fault"; fault: string };

type Letter = Pick<DeadLetterRow, "message_id" | "notification_id" | "job_id" | "channel">;

export async function editMessage(
  tx: Ctx,
  environmentId: string,
  letter: Letter,
  payload: JsonObject,
): Promise<Edited> {
  const { message_id, notification_id, job_id, channel } = letter;
  const message = await findFailedMessage(tx.db, environmentId, message_id);
  const [run] = await loadRuns(tx, [{ environment_id: environmentId, id: notification_id }]);
  const job = run?.jobs.find(({ id }) => id === job_id);
  if (!message || !run?.subscriber || !job?.step) return { kind: "gone" };
  if (run.version.definition.isBridged) {
    return {
      kind: "fault",
      fault: "The workflow is defined in code, which provided the content: trigger a new event instead",
    };
  }
  // Facts are loaded for steps that may still run.
  job.status = "pending";
  const { attachments } = run.event.payload;
  run.event = { ...run.event, payload: attachments === undefined ? payload : { ...payload, attachments } };
  const batch = await openBatch(tx, [environmentId]);
  const facts = await loadFacts(batch, [run], new Map(), { digests: await loadDigests(batch, [run]) });
  const result = makeMessages({ run, job, facts, now: batch.clock.now(environmentId) });
  if (result.kind !== "sending") {
    const text = result.kind === "failed" ? result.message?.errorText : null;
    return { kind: "fault", fault: text ?? "The step would send no message" };
  }
  const address = openAddress(tx.secrets, { channel, address: message.address });
  const isSame = (draft: MessageDraft) => channel === "email" || channel === "sms" || draft.address === address;
  const made = result.messages.find(isSame);
  if (!made?.outgoing) return { kind: "fault", fault: "The subscriber no longer has such an address" };
  const { subject, content, outgoing } = made;
  const sealed = sealMessage(tx.secrets, { channel, address: null, outgoing: outgoing as unknown as JsonObject });
  const replacement: NewContent = { subject, content, outgoing: sealed.outgoing! };
  await replaceContent(tx.db, environmentId, message_id, replacement);
  return { kind: "replaced" };
}
