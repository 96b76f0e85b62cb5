// Delivery reports of providers come in, by POST or by GET: who reports, whether the report is genuine, what it says. What
// follows from it is pipeline/deliver/receipts.ts.
import type { InboundReceipt, Input, Output } from "@tidings/contract";
import {
  answerChallenge,
  type Credentials,
  type InboundRequest,
  type Receipt,
  readReceipts,
  receiptKey,
  verifyReceipt,
} from "@tidings/providers";
import { type PlainText, plainText } from "../../answer.ts";
import type { Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { applyReceipts, type MatchedReceipt } from "../../pipeline/deliver/receipts.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { findReportedIntegration } from "../../store/messages/receipts.ts";
import { unseal } from "../integrations/credentials.ts";

/** What is kept and shown of what the receiving side said, and of the provider's own event. */
const responseLength = 1_024;
const rowLength = 8_192;

/** The longest address there is, with room for a name in front of it. */
const addressLength = 512;

/** Reports from before this are mistakes of the reporting clock; so are those from the day after tomorrow. */
const earliest = Date.UTC(2000, 0, 1);
const dayMs = 24 * 3_600_000;

/** A report that was made by the provider of this integration. */
type Genuine = { integration: IntegrationRow; request: InboundRequest };

export async function verify(
  ctx: NetworkCtx,
  _caller: null,
  { params, body }: Input<"inboundWebhooks.receive">,
): Promise<Genuine> {
  const reported = await requireReported(ctx, params);
  const content = parse(body.headers["content-type"] ?? "", body.bytes);
  const request: InboundRequest = {
    method: "POST",
    url: addressOf(ctx, body.url),
    headers: body.headers,
    raw: body.bytes,
    body: content.value,
  };
  await requireGenuine(ctx, reported, request);
  if (!content.isReadable) throw failure("MALFORMED_JSON", {});
  return { integration: reported.integration, request };
}

export const receive = (
  ctx: Ctx,
  _caller: null,
  _input: Input<"inboundWebhooks.receive">,
  genuine: Genuine,
): Promise<Output<"inboundWebhooks.receive">> => report(ctx, genuine);

/** What a POST has in its body is here the query string, read as a form. Instead of reporting, it may want an answer. */
export async function verifyByGet(
  ctx: NetworkCtx,
  _caller: null,
  { params, body }: Input<"inboundWebhooks.receiveByGet">,
): Promise<Genuine | string> {
  const reported = await requireReported(ctx, params);
  const query = body.url.split("?").slice(1).join("?");
  const request: InboundRequest = {
    method: "GET",
    url: addressOf(ctx, body.url),
    headers: body.headers,
    raw: Buffer.from(query),
    body: fieldsOf(query),
  };
  const answer = answerChallenge(reported.integration.provider_id, request, reported.credentials);
  if (answer === false) throw failure("WRONG_VERIFY_TOKEN", {});
  if (answer !== undefined) return answer;
  await requireGenuine(ctx, reported, request);
  return { integration: reported.integration, request };
}

export const receiveByGet = async (
  ctx: Ctx,
  _caller: null,
  _input: Input<"inboundWebhooks.receiveByGet">,
  found: Genuine | string,
): Promise<Output<"inboundWebhooks.receiveByGet"> | PlainText> =>
  typeof found === "string" ? plainText(found) : report(ctx, found);

type Reported = { integration: IntegrationRow; credentials: Credentials; key: string };

/** The integration, which takes reports. */
export async function requireReported(
  ctx: Ctx,
  { environmentId, integrationId }: { environmentId: string; integrationId: string },
): Promise<Reported> {
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

/** Forged reports could mark messages as bounced: without a key nobody can be trusted. */
async function requireGenuine(ctx: NetworkCtx, { integration, key }: Reported, request: InboundRequest): Promise<void> {
  const isGenuine = await verifyReceipt(integration.provider_id, request, key, ctx.now(), ctx.io);
  if (!isGenuine) throw failure("INVALID_SIGNATURE", {});
}

const addressOf = ({ config }: Ctx, url: string): string | undefined =>
  config.publicUrl === "" ? undefined : `${config.publicUrl}${url}`;

async function report(ctx: Ctx, { integration, request }: Genuine): Promise<InboundReceipt[]> {
  const now = ctx.now();
  const receipts = readReceipts(integration.provider_id, request).map((receipt) => clean(receipt, now));
  const matched = await applyReceipts(ctx, integration, receipts);
  return matched.map((one) => toReceipt(one, now));
}

type Content = { isReadable: boolean; value: unknown };

/** JSON unless it is a form. Some providers send JSON under another name, or under none. */
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

/** What comes from outside, cut to what can be kept. */
function clean(receipt: Receipt, now: Date): Receipt {
  const time = receipt.date?.getTime() ?? Number.NaN;
  const isCredible = time >= earliest && time <= now.getTime() + dayMs;
  const response = receipt.response
    ?.replace(/\p{Cc}+/gu, " ")
    .slice(0, responseLength)
    .toWellFormed();
  const recipient = receipt.recipient?.slice(0, addressLength).toWellFormed().replaceAll("\0", "") || undefined;
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
    row: receipt.row === undefined ? undefined : JSON.stringify(receipt.row).slice(0, rowLength),
  },
});
