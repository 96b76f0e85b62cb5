// The delivery of one message about alerts: a few attempts within two minutes. When its target cannot be reached, the
// owners get it by email instead, with the reason; the dashboard shows the alert in any case.
import type { Ctx, NetworkCtx } from "../../../context.ts";
import { findPendingMessage, type PendingMessage, recordAlertMessage } from "../../../store/alerts/alerts.batch.ts";
import type { AlertContent } from "../../../store/tables.ts";
import { transact } from "../../batch.ts";
import { enqueueAlertMessages, messageTask } from "../notices.ts";
import { describeTarget, openTarget, type Target } from "../targets.ts";
import { type Place, writeLetter } from "./letter.ts";
import type { SendResult } from "./mail.ts";
import { sendToTarget } from "./send.ts";

/** Waits between attempts. After the last attempt the message has failed, less than two minutes after the first. */
const retryWaitsMs = [10_000, 30_000, 60_000] as const;

const placeOf = ({ config }: NetworkCtx, message: PendingMessage): Place => ({
  environmentId: message.environment_id,
  name: message.environment_name,
  identifier: message.environment_identifier,
  publicUrl: config.publicUrl,
});

/** The integrations that the message is about: the subject of an alert, or the cause that its facts name. */
const integrationsIn = ({ notices }: AlertContent): Set<string> =>
  new Set(
    notices.flatMap(({ subject, facts }) => [
      ...(subject.type === "integration" ? [subject.id] : []),
      ...(typeof facts.integrationId === "string" ? [facts.integrationId] : []),
    ]),
  );

/** `finish`: ends the task, in the transaction of the result. */
export async function deliverMessage(
  ctx: NetworkCtx,
  { environmentId, messageId }: { environmentId: string; messageId: string },
  finish: (tx: Ctx) => Promise<void>,
): Promise<void> {
  const message = await findPendingMessage(ctx.db, environmentId, messageId);
  const target = message && openTarget(ctx.secrets, message.target);
  const result = message && (await sendToTarget(ctx, target!, toSending(ctx, message)));
  await transact(ctx, async (tx) => {
    await finish(tx);
    if (message) await settle(tx, message, target!, result!);
  });
}

const toSending = (ctx: NetworkCtx, message: PendingMessage) => ({
  organizationId: message.organization_id,
  letter: writeLetter(message.id, placeOf(ctx, message), message.content),
  avoid: integrationsIn(message.content),
});

async function settle(tx: Ctx, message: PendingMessage, target: Target, result: SendResult): Promise<void> {
  const { id, environment_id: environmentId, attempts, content } = message;
  const now = tx.now();
  const { isSent, isFinal, detail } = result;
  const waitMs = isSent || isFinal ? undefined : retryWaitsMs[attempts];
  const nextAt = waitMs === undefined ? null : new Date(now.getTime() + waitMs);
  const status = isSent ? "sent" : nextAt ? "pending" : "failed";
  await recordAlertMessage(tx.db, environmentId, { id, status, next_at: nextAt, detail, now });
  if (nextAt) await tx.queue.enqueue(tx.db, "alert", [{ ...messageTask(environmentId, id), startAfter: nextAt }]);
  if (status !== "failed") return;
  tx.log.warn({ environmentId, target: describeTarget(target), reason: detail }, "an alert did not reach its target");
  if (target.type === "owners") return;
  const failed = { target: describeTarget(target), reason: detail };
  await enqueueAlertMessages(tx, [
    { environmentId, target: { type: "owners" }, content: { ...content, failed }, isFallback: true },
  ]);
}
