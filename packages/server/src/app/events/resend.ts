// One step of a notification, sent again by hand.
import { type Input, maxResends, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { resendStep as resend } from "../../pipeline/run/resend.ts";
import { findNotification } from "../../store/events/notifications.ts";

export async function resendStep(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"notifications.resendStep">,
): Promise<Output<"notifications.resendStep">> {
  const { notificationId, stepId } = params;
  const { environmentId, member, environmentIdentifier } = caller;
  const notification = await findNotification(ctx.db, environmentId, notificationId);
  if (!notification) throw failure("NOTIFICATION_NOT_FOUND", { notificationId });
  const by = member ? member.name || member.email : `an API key of ${environmentIdentifier}`;
  const result = await resend(ctx, { environment_id: environmentId, id: notification.id }, stepId, by);
  switch (result.kind) {
    case "not_found":
      throw failure("STEP_NOT_FOUND", { stepId, workflowId: notification.definition.workflowId });
    case "impossible":
      throw failure("STEP_NOT_RESENDABLE", { stepId, reason: result.reason });
    case "busy":
      throw failure("RESEND_IN_PROGRESS", { stepId, reason: result.reason });
    case "limit":
      throw failure("RESEND_LIMIT", { stepId, limit: String(maxResends) });
    case "refused":
      throw failure("RESEND_REFUSED", { reason: result.reason });
    case "resent": {
      const { run, channel, isSent, messageIds } = result;
      return {
        transactionId: run.event.transactionId,
        notificationId: notification.id,
        subscriberId: run.subscriber!.subscriber_id,
        workflowId: run.version.definition.workflowId,
        stepId,
        channel,
        status: isSent ? "sent" : "queued",
        messageIds,
      };
    }
  }
}
