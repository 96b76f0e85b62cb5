// Delivery reports of providers (receipts): each takes effect once, in any order, whatever else the same request reports. A
// report never turns a failed message into a sent one.
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import { storableId } from "../../lib/storable-text.ts";
import type { Db } from "../../store/db.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { resolveLetters } from "../../store/messages/dead-letters.ts";
import { type EarlyReceipt, insertEarlyReceipts } from "../../store/messages/early-receipts.batch.ts";
import {
  holdReportedMessages,
  insertReceipts,
  type NewReceipt,
  type ReportedChange,
  type ReportedMessage,
  receiptKey,
  recordReports,
} from "../../store/messages/receipts.ts";
import { insertSuppressions, type NewSuppression } from "../../store/subscribers/suppressions.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { type ConfirmedMessage, confirmSent } from "./confirm.ts";
import { findReportedRecipient, meaningOf, type ReceiptMeaning, type ReportedRecipient } from "./receipt-rules.ts";

/** `messageId` is null for a report on an unknown message, which has no effect. */
export type MatchedReceipt = { receipt: Receipt; messageId: string | null };

type FoundReceipt = { receipt: Receipt; message: ReportedMessage | undefined };
type Report = { receipt: Receipt; message: ReportedMessage; recipient: ReportedRecipient; key: NewReceipt };
type NewReport = Report & { meaning: ReceiptMeaning; at: Date };

export async function applyReceipts(
  ctx: Ctx,
  integration: IntegrationRow,
  receipts: Receipt[],
): Promise<MatchedReceipt[]> {
  const found = await findMessages(ctx.db, integration, receipts);
  const early = found.flatMap((one) => toEarlyReceipt(ctx, integration, one));
  await insertEarlyReceipts(ctx.db, early);
  const reports = found.filter(({ message }) => !message?.is_under_way).flatMap(toReport);
  await applyReports(ctx, integration, reports);
  return found.map(({ receipt, message }) => ({ receipt, messageId: message?.id ?? null }));
}

/** For early receipts whose call has a result now. Receipts still unmatched are dropped. */
export async function applyKeptReceipts(ctx: Ctx, integration: IntegrationRow, receipts: Receipt[]): Promise<void> {
  const found = await findMessages(ctx.db, integration, receipts);
  await applyReports(ctx, integration, found.flatMap(toReport));
}

async function findMessages(db: Db, integration: IntegrationRow, receipts: Receipt[]): Promise<FoundReceipt[]> {
  const externalIds = receipts.flatMap(({ externalId }) => storableId(externalId) ?? []);
  const messageIds = receipts.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  const names = { externalIds, messageIds };
  const held = await holdReportedMessages(db, integration.environment_id, integration.id, names);
  const byId = new Map(held.map((message) => [message.id, message]));
  const byExternalId = new Map(held.flatMap((message) => message.external_ids.map((id) => [id, message] as const)));
  // Our own id first: where a provider sends both ids, its own may belong to another call.
  const find = ({ messageId, externalId }: Receipt) => byId.get(messageId ?? "") ?? byExternalId.get(externalId ?? "");
  return receipts.map((receipt) => ({ receipt, message: find(receipt) }));
}

/** A receipt that has to wait for the result of its call; see early-receipts.ts. */
function toEarlyReceipt(ctx: Ctx, integration: IntegrationRow, { receipt, message }: FoundReceipt): EarlyReceipt[] {
  const { externalId, recipient, status, date, attempts, response } = receipt;
  const name = message ? (message.is_under_way ? message.id : undefined) : storableId(externalId);
  if (name === undefined) return [];
  const names = { messageId: message?.id, externalId: storableId(externalId), recipient: storableId(recipient) };
  return [
    {
      id: ctx.newId(),
      environment_id: integration.environment_id,
      integration_id: integration.id,
      name,
      receipt: { ...names, status, date, attempts, response },
    },
  ];
}

function toReport({ receipt, message }: FoundReceipt): Report[] {
  if (!message) return [];
  const recipient = findReportedRecipient(receipt.recipient, message);
  const key = {
    external_id: storableId(receipt.externalId) ?? message.id,
    status: receipt.status,
    reported_at: receipt.date ?? null,
    message_id: message.id,
    recipient: recipient.isOwn ? "" : (storableId(normalizeAddress(receipt.recipient ?? "")) ?? "?"),
  };
  return [{ receipt, message, recipient, key }];
}

async function applyReports(ctx: Ctx, integration: IntegrationRow, reports: Report[]): Promise<void> {
  const now = ctx.now();
  const environmentId = integration.environment_id;
  const unique = [...new Map(reports.map((report) => [receiptKey(report.key), report])).values()];
  const keys = unique.map((report) => report.key);
  const isNew = await insertReceipts(ctx.db, environmentId, integration.id, keys, now);
  const fresh = unique
    .filter((report) => isNew.has(receiptKey(report.key)))
    .map(
      (report): NewReport => ({ ...report, meaning: meaningOf(report.receipt.status), at: report.receipt.date ?? now }),
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  const byMessage = [...Map.groupBy(fresh, ({ message }) => message.id).values()];
  await confirmSent(ctx, integration, byMessage.flatMap(findConfirmed));
  const resolved = await resolveLetters(ctx.db, environmentId, byMessage.flatMap(findAcceptedFailures));
  const changes = byMessage.map((group) => toReportedChange(integration, group, resolved, now));
  const failed = await recordReports(ctx.db, environmentId, integration.id, changes, now);
  await insertSuppressions(
    ctx.db,
    environmentId,
    fresh.flatMap((report) => suppressionOf(ctx, report)),
    now,
  );
  await emitMessages(
    ctx,
    changes.flatMap((change) => eventsOf(environmentId, change, failed.has(change.message_id), now)),
  );
}

/**
 * A message with an unknown outcome whose provider proves that it has it. A reported failure proves nothing: such a message
 * is retried as planned.
 */
function findConfirmed(group: NewReport[]): ConfirmedMessage[] {
  const { message } = group[0]!;
  const proof = message.is_doubtful && group.find(({ meaning }) => meaning.isProof);
  return proof ? [{ message, externalId: storableId(proof.receipt.externalId) ?? null }] : [];
}

/** A failed message that its provider has accepted after all: its dead letter is closed, because a replay would duplicate it. */
function findAcceptedFailures(group: NewReport[]): string[] {
  const { message } = group[0]!;
  return message.has_failed && group.some(({ meaning }) => meaning.isProof && !meaning.errorId) ? [message.id] : [];
}

function toReportedChange(
  integration: IntegrationRow,
  group: NewReport[],
  resolved: Set<string>,
  now: Date,
): ReportedChange {
  const { message } = group[0]!;
  const own = group.filter(({ recipient }) => recipient.isOwn);
  const failure = own.find(({ meaning }) => meaning.errorId);
  const response = failure?.receipt.response;
  return {
    message_id: message.id,
    notification_id: message.notification_id,
    job_id: message.job_id,
    delivered: own.flatMap(({ meaning, at }) => (meaning.isDelivery ? [at.toISOString()] : [])),
    error_id: failure?.meaning.errorId ?? null,
    error_text: failure ? `The provider reported "${failure.receipt.status}"${response ? `: ${response}` : ""}` : null,
    details: [
      ...group.flatMap((report) => detailOf(integration, report)),
      ...(resolved.has(message.id) ? [detail("letter_resolved", now, { raw: { messageId: message.id } })] : []),
    ],
  };
}

function detailOf({ provider_id: providerId }: IntegrationRow, report: NewReport): StoredDetail[] {
  const { meaning, receipt, message, at } = report;
  if (!meaning.detail) return [];
  const { status, recipient, response } = receipt;
  const externalId = storableId(receipt.externalId);
  const raw = {
    messageId: message.id,
    status,
    ...(report.recipient.isOwn ? {} : { recipient }),
    ...(externalId ? { externalId } : {}),
    ...(response ? { response } : {}),
  };
  return [detail(meaning.detail, at, { providerId, raw })];
}

/** Only for email: a bounced push is about an expired device token, not about an address. */
function suppressionOf(ctx: Ctx, { meaning, message, recipient: { address } }: NewReport): NewSuppression[] {
  if (!meaning.suppress || message.channel !== "email" || !address) return [];
  return [{ id: ctx.newId(), channel: "email", address, reason: meaning.suppress, message_id: message.id }];
}

function eventsOf(environmentId: string, change: ReportedChange, hasFailed: boolean, at: Date): MessageChange[] {
  const event = { environmentId, messageId: change.message_id, at };
  return [
    ...(change.delivered.length > 0 ? [{ ...event, type: "message.delivered" as const }] : []),
    ...(hasFailed ? [{ ...event, type: "message.failed" as const, error: { message: change.error_text! } }] : []),
  ];
}
