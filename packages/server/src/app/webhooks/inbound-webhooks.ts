// Receipts: delivery reports of providers, by POST or GET. The integration is found, the signature verified and the
// receipts read before pipeline/deliver/receipts.ts applies them to messages.
import type { InboundReason, InboundReceipt, Input, Output } from "@tidings/contract";
import {
  answerChallenge,
  type Credentials,
  type InboundRequest,
  type Receipt,
  readReceipts,
  receiptKey,
  verifyReceipt,
} from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import { Failure, failure } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { applyReceipts, type MatchedReceipt } from "../../pipeline/deliver/receipts.ts";
import { type PlainText, plainText } from "../../response.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { findReportedIntegration, hasEnvironment } from "../../store/messages/receipts.ts";
import { unseal } from "../integrations/credentials.ts";
import { excerptOf, storeRefused } from "./inbound-receipts.ts";

/** Characters that are stored and shown of the receiving server's response, and of the provider's own event. */
const maxResponseLength = 1_024;
const maxRowLength = 8_192;

/** An email address has at most 320 characters; the rest is for a name in front of it. */
const maxAddressLength = 512;

/** A receipt dated earlier than this, or more than a day ahead, has a wrong clock: its date is ignored. */
const earliest = Date.UTC(2000, 0, 1);
const dayMs = 24 * 3_600_000;

/** A request whose signature was verified. */
type VerifiedReport = { integration: IntegrationRow; request: InboundRequest };

export async function verify(
  ctx: NetworkCtx,
  _caller: null,
  { params, body }: Input<"inboundWebhooks.receive">,
): Promise<VerifiedReport> {
  const refuse = refuserOf(ctx, params, Buffer.from(body.bytes).toString("utf8"));
  const target = await findTarget(ctx, params, refuse);
  const content = parse(body.headers["content-type"] ?? "", body.bytes);
  const request: InboundRequest = {
    method: "POST",
    url: publicAddress(ctx, body.url),
    headers: body.headers,
    raw: body.bytes,
    body: content.value,
  };
  await requireSignature(ctx, target, request, refuse);
  if (!content.isReadable) {
    await refuse("unreadable", target);
    throw failure("MALFORMED_JSON", {});
  }
  return { integration: target.integration, request };
}

export const receive = (
  ctx: Ctx,
  _caller: null,
  _input: Input<"inboundWebhooks.receive">,
  verified: VerifiedReport,
): Promise<Output<"inboundWebhooks.receive">> => applyReport(ctx, verified);

/**
 * The query string is read like the form body of a POST. A provider may also send a challenge, which gets a response.
 */
export async function verifyByGet(
  ctx: NetworkCtx,
  _caller: null,
  { params, body }: Input<"inboundWebhooks.receiveByGet">,
): Promise<VerifiedReport | string> {
  const query = body.url.split("?").slice(1).join("?");
  const refuse = refuserOf(ctx, params, query);
  const target = await findTarget(ctx, params, refuse);
  const request: InboundRequest = {
    method: "GET",
    url: publicAddress(ctx, body.url),
    headers: body.headers,
    raw: Buffer.from(query),
    body: fieldsOf(query),
  };
  const answer = answerChallenge(target.integration.provider_id, request, target.credentials);
  if (answer === false) throw failure("WRONG_VERIFY_TOKEN", {});
  if (answer !== undefined) return answer;
  await requireSignature(ctx, target, request, refuse);
  return { integration: target.integration, request };
}

export const receiveByGet = async (
  ctx: Ctx,
  _caller: null,
  _input: Input<"inboundWebhooks.receiveByGet">,
  found: VerifiedReport | string,
): Promise<Output<"inboundWebhooks.receiveByGet"> | PlainText> =>
  typeof found === "string" ? plainText(found) : applyReport(ctx, found);

type ReportPath = { environmentId: string; integrationId: string };
type ReportTarget = { integration: IntegrationRow; credentials: Credentials; key: string };

/** The integration with its credentials and signing key; 404 when it does not accept receipts. */
export async function requireReportTarget(
  ctx: Ctx,
  { environmentId, integrationId }: ReportPath,
): Promise<ReportTarget> {
  const integration = isUuid(environmentId)
    ? await findReportedIntegration(ctx.db, environmentId, integrationId)
    : undefined;
  const configurations = integration ? unseal(ctx.secrets, integration.configurations) : {};
  if (!integration || configurations.inboundWebhookEnabled !== true) {
    throw failure("INTEGRATION_NOT_FOUND", { integrationId });
  }
  const credentials = unseal(ctx.secrets, integration.credentials);
  const key = receiptKey(integration.provider_id, configurations.inboundWebhookSigningKey, credentials);
  return { integration, credentials, key };
}

/** Forged receipts could mark messages as bounced, so an integration without a key accepts none. */
async function requireSignature(
  ctx: NetworkCtx,
  { integration, key }: ReportTarget,
  request: InboundRequest,
  refuse: Refuse,
): Promise<void> {
  const isVerified = await verifyReceipt(integration.provider_id, request, key, ctx.now(), ctx.io);
  if (isVerified) return;
  await refuse("bad_signature", { integration, key });
  throw failure("INVALID_SIGNATURE", {});
}

/** Stores that a request was refused, for the people of its environment. */
type Refuse = (reason: InboundReason, target?: Pick<ReportTarget, "integration" | "key">) => Promise<void>;

const refuserOf =
  (ctx: Ctx, { environmentId }: { environmentId: string }, text: string): Refuse =>
  (reason, target) =>
    storeRefused(ctx, {
      environmentId,
      integrationId: target?.integration.id,
      reason,
      excerpt: excerptOf(text, target?.key),
    });

/**
 * As `requireReportTarget`; an address of an environment that exists and has no such integration is stored as refused.
 */
async function findTarget(ctx: Ctx, params: ReportPath, refuse: Refuse): Promise<ReportTarget> {
  try {
    return await requireReportTarget(ctx, params);
  } catch (error) {
    const isKnown = error instanceof Failure && (await hasEnvironment(ctx.db, params.environmentId));
    if (isKnown) await refuse("unknown_integration");
    throw error;
  }
}

const publicAddress = ({ config }: Ctx, url: string): string | undefined =>
  config.publicUrl === "" ? undefined : `${config.publicUrl}${url}`;

async function applyReport(ctx: Ctx, { integration, request }: VerifiedReport): Promise<InboundReceipt[]> {
  const now = ctx.now();
  const receipts = readReceipts(integration.provider_id, request).map((receipt) => sanitizeReceipt(receipt, now));
  if (receipts.length === 0) {
    const { environment_id: environmentId, id: integrationId } = integration;
    const excerpt = excerptOf(Buffer.from(request.raw).toString("utf8"));
    await storeRefused(ctx, { environmentId, integrationId, reason: "no_report", excerpt });
  }
  const matched = await applyReceipts(ctx, integration, receipts);
  return matched.map((one) => toReceipt(one, now));
}

type Content = { isReadable: boolean; value: unknown };

/** JSON unless it is a form: some providers send JSON with another content type, or without one. */
function parse(contentType: string, bytes: Uint8Array): Content {
  const text = Buffer.from(bytes).toString("utf8");
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) {
    return { isReadable: true, value: fieldsOf(text) };
  }
  if (text.trim() === "") return { isReadable: true, value: undefined };
  try {
    return { isReadable: true, value: JSON.parse(text) };
  } catch {
    return { isReadable: false, value: undefined };
  }
}

const fieldsOf = (form: string): Record<string, string> => Object.fromEntries(new URLSearchParams(form));

/** Truncates the texts of the provider, and drops a date that cannot be right. */
function sanitizeReceipt(receipt: Receipt, now: Date): Receipt {
  const time = receipt.date?.getTime() ?? Number.NaN;
  const isCredible = time >= earliest && time <= now.getTime() + dayMs;
  const response = receipt.response
    ?.replace(/\p{Cc}+/gu, " ")
    .slice(0, maxResponseLength)
    .toWellFormed();
  const recipient = receipt.recipient?.slice(0, maxAddressLength).toWellFormed().replaceAll("\0", "") || undefined;
  return { ...receipt, recipient, date: isCredible ? receipt.date : undefined, response };
}

const toReceipt = ({ receipt, messageId }: MatchedReceipt, now: Date): InboundReceipt => ({
  id: messageId ?? receipt.externalId ?? receipt.messageId ?? "",
  event: {
    status: receipt.status,
    date: (receipt.date ?? now).toISOString(),
    externalId: receipt.externalId,
    attempts: receipt.attempts,
    response: receipt.response,
    row: receipt.row === undefined ? undefined : JSON.stringify(receipt.row).slice(0, maxRowLength),
  },
});
