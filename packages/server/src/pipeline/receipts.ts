// Delivery reports take effect: each once, in any order, whatever else the same request reports. A report never makes a
// failed message sent again.
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { isUuid } from "../lib/ids.ts";
import type { Db } from "../store/db.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import {
  holdReportedMessages,
  insertReceipts,
  type NewReceipt,
  type ReportedChange,
  type ReportedMessage,
  receiptKey,
  recordReports,
} from "../store/receipts.ts";
import { insertSuppressions, type NewSuppression } from "../store/suppressions.ts";
import { confirmSent, type Doubtful } from "./deliver/confirm.ts";
import { detail } from "./rules/details.ts";
import { type Meaning, meaningOf } from "./rules/receipts.ts";
import { emitMessages, type MessageChange } from "./webhook-events.ts";

/** A report with the message it is about; null when we know none, and nothing follows from it. */
export type Matched = { receipt: Receipt; messageId: string | null };

type Report = { receipt: Receipt; message: ReportedMessage; key: NewReceipt };
type New = Report & { meaning: Meaning; at: Date };

/** A provider's own id is never longer; and an index has to hold it. */
const maxIdLength = 512;
const isName = (text: string | undefined): text is string =>
  text !== undefined && text.length <= maxIdLength && text.isWellFormed() && !text.includes("\0");

export async function applyReceipts(
  ctx: Ctx,
  tx: Db,
  integration: IntegrationRow,
  receipts: Receipt[],
): Promise<Matched[]> {
  const environmentId = integration.environment_id;
  const externalIds = receipts.flatMap(({ externalId }) => (isName(externalId) ? [externalId] : []));
  const messageIds = receipts.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  const held = await holdReportedMessages(tx, environmentId, integration.id, { externalIds, messageIds });
  const byId = new Map(held.map((message) => [message.id, message]));
  const byExternalId = new Map(held.flatMap((message) => message.external_ids.map((id) => [id, message] as const)));
  // Our own id first: where a provider sends both, its own may be that of another call.
  const find = ({ messageId, externalId }: Receipt) => byId.get(messageId ?? "") ?? byExternalId.get(externalId ?? "");

  const matched = receipts.map((receipt) => ({ receipt, message: find(receipt) }));
  const reports = matched.flatMap(({ receipt, message }) => (message ? [toReport(receipt, message)] : []));
  await takeEffect(ctx, tx, integration, reports);
  return matched.map(({ receipt, message }) => ({ receipt, messageId: message?.id ?? null }));
}

const toReport = (receipt: Receipt, message: ReportedMessage): Report => ({
  receipt,
  message,
  key: {
    external_id: isName(receipt.externalId) ? receipt.externalId : message.id,
    status: receipt.status,
    reported_at: receipt.date ?? null,
    message_id: message.id,
  },
});

async function takeEffect(ctx: Ctx, tx: Db, integration: IntegrationRow, reports: Report[]): Promise<void> {
  const now = ctx.now();
  const environmentId = integration.environment_id;
  const unique = [...new Map(reports.map((report) => [receiptKey(report.key), report])).values()];
  const keys = unique.map((report) => report.key);
  const isNew = await insertReceipts(tx, environmentId, integration.id, keys, now);
  const fresh = unique
    .filter((report) => isNew.has(receiptKey(report.key)))
    .map((report): New => ({ ...report, meaning: meaningOf(report.receipt.status), at: report.receipt.date ?? now }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  const byMessage = [...Map.groupBy(fresh, ({ message }) => message.id).values()];
  await confirmSent(ctx, tx, integration, byMessage.flatMap(doubtfulOf));
  const changes = byMessage.map((group) => changeOf(integration, group));
  const failed = await recordReports(tx, environmentId, changes, now);
  await insertSuppressions(
    tx,
    environmentId,
    fresh.flatMap((report) => suppressionOf(ctx, report)),
    now,
  );
  await emitMessages(
    ctx,
    tx,
    changes.flatMap((change) => eventsOf(environmentId, change, failed.has(change.message_id), now)),
  );
}

/** A failure that is reported says no more than that: the message is tried again as it would have been. */
function doubtfulOf(group: New[]): Doubtful[] {
  const { message } = group[0]!;
  const proof = message.is_doubtful && group.find(({ meaning }) => meaning.isProof);
  return proof ? [{ message, externalId: isName(proof.receipt.externalId) ? proof.receipt.externalId : null }] : [];
}

function changeOf(integration: IntegrationRow, group: New[]): ReportedChange {
  const { message } = group[0]!;
  const failure = group.find(({ meaning }) => meaning.errorId);
  const said = failure?.receipt.response;
  return {
    message_id: message.id,
    job_id: message.job_id,
    delivered: group.flatMap(({ meaning, at }) => (meaning.isDelivery ? [at.toISOString()] : [])),
    error_id: failure?.meaning.errorId ?? null,
    error_text: failure ? `The provider reported "${failure.receipt.status}"${said ? `: ${said}` : ""}` : null,
    details: group.flatMap(({ meaning, receipt, at }) =>
      meaning.detail
        ? [
            detail(meaning.detail, at, {
              providerId: integration.provider_id,
              raw: {
                messageId: message.id,
                status: receipt.status,
                ...(receipt.externalId ? { externalId: receipt.externalId } : {}),
                ...(receipt.response ? { response: receipt.response } : {}),
              },
            }),
          ]
        : [],
    ),
  };
}

/** Only what is addressed by the person: a device that is gone is the provider's word for a token, not for an address. */
function suppressionOf(ctx: Ctx, { meaning, message }: New): NewSuppression[] {
  if (!meaning.suppress || message.channel !== "email" || !message.address) return [];
  return [
    { id: ctx.newId(), channel: "email", address: message.address, reason: meaning.suppress, message_id: message.id },
  ];
}

const eventsOf = (environmentId: string, change: ReportedChange, hasFailed: boolean, at: Date): MessageChange[] => {
  const event = { environmentId, messageId: change.message_id, at };
  return [
    ...(change.delivered.length > 0 ? [{ ...event, type: "message.delivered" as const }] : []),
    ...(hasFailed ? [{ ...event, type: "message.failed" as const, error: { message: change.error_text! } }] : []),
  ];
};
