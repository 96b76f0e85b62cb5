// Delivery reports of providers come in: who reports, whether the report is genuine, what it says. What follows from it is
// pipeline/receipts.ts.
import type { InboundReceipt, Input, Output } from "@tidings/contract";
import { type InboundRequest, type Receipt, readReceipts, verifyReceipt } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { failure } from "../failure.ts";
import { isUuid } from "../lib/ids.ts";
import { applyReceipts, type Matched } from "../pipeline/receipts.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import { findReportedIntegration } from "../store/receipts.ts";
import { unseal } from "./credentials.ts";

/** What is kept and shown of what the receiving side said, and of the provider's own event. */
const responseLength = 1_024;
const rowLength = 8_192;

/** Reports from before this are mistakes of the reporting clock; so are those from the day after tomorrow. */
const earliest = Date.UTC(2000, 0, 1);
const dayMs = 24 * 3_600_000;

export async function receive(
  ctx: Ctx,
  _caller: null,
  { params, body }: Input<"inboundWebhooks.receive">,
): Promise<Output<"inboundWebhooks.receive">> {
  const { environmentId, integrationId } = params;
  const integration = isUuid(environmentId)
    ? await findReportedIntegration(ctx.db, environmentId, integrationId)
    : undefined;
  const configurations = integration ? unseal(ctx.secrets, integration.configurations) : {};
  if (!integration || configurations.inboundWebhookEnabled !== true) {
    throw failure("INTEGRATION_NOT_FOUND", { integrationId });
  }
  const content = parse(body.headers["content-type"] ?? "", body.bytes);
  const request: InboundRequest = {
    method: "POST",
    headers: body.headers,
    query: body.query,
    raw: body.bytes,
    body: content.value,
  };
  const key = configurations.inboundWebhookSigningKey;
  const now = ctx.now();
  // Forged reports could mark messages as bounced: without a key nobody can be trusted.
  const isGenuine =
    typeof key === "string" && (await verifyReceipt(integration.provider_id, request, key, now, ctx.io));
  if (!isGenuine) throw failure("INVALID_SIGNATURE", {});
  if (!content.isReadable) throw failure("MALFORMED_JSON", {});
  return report(ctx, integration, request, now);
}

async function report(
  ctx: Ctx,
  integration: IntegrationRow,
  request: InboundRequest,
  now: Date,
): Promise<InboundReceipt[]> {
  const receipts = readReceipts(integration.provider_id, request).map((receipt) => clean(receipt, now));
  const matched = await applyReceipts(ctx, ctx.db, integration, receipts);
  return matched.map((one) => toReceipt(one, now));
}

type Content = { isReadable: boolean; value: unknown };

/** JSON unless it is a form. Some providers send JSON under another name, or under none. */
function parse(contentType: string, bytes: Uint8Array): Content {
  const text = Buffer.from(bytes).toString("utf8");
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) {
    return { isReadable: true, value: Object.fromEntries(new URLSearchParams(text)) };
  }
  if (text.trim() === "") return { isReadable: true, value: undefined };
  try {
    return { isReadable: true, value: JSON.parse(text) };
  } catch {
    return { isReadable: false, value: undefined };
  }
}

/** What comes from outside, cut to what can be kept. */
function clean(receipt: Receipt, now: Date): Receipt {
  const time = receipt.date?.getTime() ?? Number.NaN;
  const isCredible = time >= earliest && time <= now.getTime() + dayMs;
  const response = receipt.response
    ?.replace(/\p{Cc}+/gu, " ")
    .slice(0, responseLength)
    .toWellFormed();
  return { ...receipt, date: isCredible ? receipt.date : undefined, response };
}

const toReceipt = ({ receipt, messageId }: Matched, now: Date): InboundReceipt => ({
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
