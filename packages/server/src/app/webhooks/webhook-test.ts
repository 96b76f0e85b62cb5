// A test of a webhook: one event that is sent at once, so that the member who asks sees the receiver's response. It
// is stored as a delivery like all others.
import { type Input, type Output, testEventType } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { callWebhook, isSuccess, type Reply } from "../../pipeline/webhooks/call.ts";
import { toEventRow } from "../../pipeline/webhooks/events.ts";
import { insertFinishedDelivery, type WebhookEventRow } from "../../store/webhooks/webhook-deliveries.ts";
import { callProvider } from "../integrations/integration-checks.ts";
import { toDelivery } from "./webhook-deliveries.ts";
import { requireWebhook } from "./webhooks.ts";

type Tested = { event: WebhookEventRow; reply: Reply };

export async function call(ctx: NetworkCtx, caller: Caller, { params }: Input<"webhooks.test">): Promise<Tested> {
  const webhook = await requireWebhook(ctx, caller, params.webhookId);
  const { environmentId } = caller;
  const data = { object: { webhookId: webhook.id, text: "A test of this webhook. Nothing happened." } };
  const event = toEventRow(ctx, { environmentId, type: testEventType, at: ctx.now(), data });
  const sent = { ...webhook, event_id: event.id, body: event.body };
  return { event, reply: await callProvider(ctx, caller, () => callWebhook(ctx, sent)) };
}

export async function record(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.test">,
  { event, reply }: Tested,
): Promise<Output<"webhooks.test">> {
  const { id: webhookId } = await requireWebhook(ctx, caller, params.webhookId);
  const isDelivered = isSuccess(reply);
  const delivery = {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    webhook_id: webhookId,
    event_id: event.id,
    status: isDelivered ? ("delivered" as const) : ("failed" as const),
    attempts: 1,
    failures: isDelivered ? 0 : 1,
    next_at: null,
    last_at: ctx.now(),
    response_status: reply.status,
    response: reply.text,
  };
  await insertFinishedDelivery(ctx.db, event, delivery);
  return toDelivery({ ...delivery, type: event.type, created_at: event.created_at });
}
