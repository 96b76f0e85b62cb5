// One call of a webhook: signed as Standard Webhooks, to an address that the guard of outgoing connections allows.
import type { Ctx, NetworkCtx } from "../../context.ts";
import { openText } from "../../lib/sealed.ts";
import { webhookHeaders } from "../../lib/standard-webhooks.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import type { WebhookRow } from "../../store/webhooks/webhooks.ts";
import { beginCallSpan } from "../trace/calls.ts";
import { publicEventId } from "./events.ts";

/** Stored of a response, to find out why a receiver refuses. */
const maxResponseLength = 1_024;

/** Sent with every event, in addition to the id, the time and the signature. */
export const contentHeaders = { "content-type": "application/json" };

export type Reply = { status: number | null; text: string };

/** A webhook and an event for it. `body`: as it is stored. */
export type WebhookCall = Pick<WebhookRow, "url" | "secret" | "previous_secret" | "previous_secret_until"> & {
  event_id: string;
  body: string;
  /** The trace that the event belongs to; its receiver gets it too. */
  trace_context?: string | null;
};

/** Never rejects: one receiver must not lose the results of the others. */
export async function callWebhook(ctx: NetworkCtx, call: WebhookCall): Promise<Reply> {
  const { traced, end } = beginCallSpan(ctx, call.trace_context, { name: "POST webhook", url: call.url });
  const reply = await sendEvent(ctx, call, traced);
  end(reply.status, isSuccess(reply) ? undefined : String(reply.status ?? "no_response"));
  return reply;
}

async function sendEvent(
  ctx: NetworkCtx,
  { url, event_id, ...call }: WebhookCall,
  traced: Record<string, string>,
): Promise<Reply> {
  try {
    const body = openText(ctx.secrets, call.body);
    const now = ctx.now();
    const signed = webhookHeaders(secretsOf(ctx, call, now), publicEventId(event_id), body, now);
    const { status, text } = await ctx.webhookHttp({
      method: "POST",
      url,
      headers: { ...contentHeaders, ...traced, ...signed },
      body,
    });
    return { status, text: storableText(text, maxResponseLength) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: null, text: storableText(message, maxResponseLength) };
  }
}

type Secrets = Pick<WebhookRow, "secret" | "previous_secret" | "previous_secret_until">;

/** After a rotation, requests are signed with the previous secret too, until it expires. */
function secretsOf(ctx: Ctx, { secret, previous_secret, previous_secret_until }: Secrets, now: Date): string[] {
  const isRotating = previous_secret !== null && previous_secret_until !== null && previous_secret_until > now;
  return [secret, ...(isRotating ? [previous_secret] : [])].map((stored) => ctx.secrets.decrypt(stored));
}

export const isSuccess = ({ status }: Reply): boolean => status !== null && status >= 200 && status < 300;
