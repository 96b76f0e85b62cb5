// Sends a message about alerts to one target.
import type { NetworkCtx } from "../../../context.ts";
import { webhookHeaders } from "../../../lib/standard-webhooks.ts";
import { storableText } from "../../../lib/text/storable-text.ts";
import { listOwners } from "../../../store/members/members.ts";
import { contentHeaders } from "../../webhooks/call.ts";
import type { Target } from "../targets.ts";
import { type Letter, toMail, toSlack, toWebhookBody } from "./letter.ts";
import { mailAlert, type SendResult } from "./mail.ts";

const maxDetail = 500;
/** Owners that get a mail. */
const maxOwners = 20;

export type Sending = { organizationId: string; letter: Letter; avoid: ReadonlySet<string> };

/** Never rejects. */
export async function sendToTarget(ctx: NetworkCtx, target: Target, sending: Sending): Promise<SendResult> {
  try {
    const result = await sendBy(ctx, target, sending);
    return { ...result, detail: storableText(result.detail, maxDetail) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { isSent: false, detail: storableText(message, maxDetail) };
  }
}

async function sendBy(ctx: NetworkCtx, target: Target, sending: Sending): Promise<SendResult> {
  const { letter } = sending;
  if (target.type === "email") return mail(ctx, sending, target);
  if (target.type === "slack") return post(ctx, target.url, JSON.stringify(toSlack(letter)), {});
  if (target.type === "webhook") {
    const body = toWebhookBody(letter);
    return post(ctx, target.url, body, webhookHeaders([target.secret], letter.id, body, ctx.now()));
  }
  const owners = await listOwners(ctx.db, sending.organizationId, maxOwners);
  if (owners.length === 0) return { isSent: false, detail: "No member has the role owner", isFinal: true };
  return mail(ctx, sending, { to: owners.map(({ email }) => email), isForOwners: true });
}

type Recipients = { to: string[]; integrationIdentifier?: string; isForOwners?: boolean };

function mail(
  ctx: NetworkCtx,
  { organizationId, letter, avoid }: Sending,
  recipients: Recipients,
): Promise<SendResult> {
  const { to, integrationIdentifier, isForOwners = false } = recipients;
  const { environmentId } = letter.place;
  const content = { id: letter.id, to, mail: toMail(letter), avoid };
  return mailAlert(ctx, { ...content, organizationId, environmentId, integrationIdentifier, isForOwners });
}

/** A receiver that refuses a request will refuse it again, unless it is only slow or limits the rate. */
const isFinalStatus = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

async function post(ctx: NetworkCtx, url: string, body: string, signed: Record<string, string>): Promise<SendResult> {
  const headers = { ...contentHeaders, ...signed };
  const { status, text } = await ctx.webhookHttp({ method: "POST", url, headers, body });
  const isSent = status >= 200 && status < 300;
  const detail = isSent || text === "" ? `HTTP ${status}` : `HTTP ${status}: ${text.replace(/\s+/g, " ")}`;
  return { isSent, detail, isFinal: isFinalStatus(status) };
}
