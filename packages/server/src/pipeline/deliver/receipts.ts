// Delivery reports of providers (receipts): each takes effect once, in any order, whatever else the same request
// reports. A report never turns a failed message into a sent one.
import type { InboundChange } from "@tidings/contract";
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import { storableId } from "../../lib/text/storable-text.ts";
import type { Db } from "../../store/db.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { resolveLetters } from "../../store/messages/dead-letters.ts";
import { type EarlyReceipt, insertEarlyReceipts } from "../../store/messages/early-receipts.batch.ts";
import {
  type InboundReceiptRow,
  insertInboundReceipts,
  resolveInboundReceipts,
} from "../../store/messages/inbound-receipts.ts";
import {
  holdReportedMessages,
  insertReceipts,
  type NewReceipt,
  type ReportedChange,
  type ReportedMessage,
  receiptKey,
  recordReports,
} from "../../store/messages/receipts.ts";
import { type Activity, noteActivity } from "../../store/subscribers/activity.ts";
import { insertSuppressions, type NewSuppression } from "../../store/subscribers/suppressions.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { wakeWatchers } from "../run/arrivals.ts";
import { traceReceipts } from "../trace/sends.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { type ConfirmedMessage, confirmSent } from "./confirm.ts";
import { findReportedRecipient, meaningOf, type ReceiptMeaning, type ReportedRecipient } from "./receipt-rules.ts";

/** `messageId` is null for a report on an unknown message, which has no effect. */
export type MatchedReceipt = { receipt: Receipt; messageId: string | null };

/** `id`: of its row for people, and of its row while it waits. */
type FoundReceipt = { id: string; receipt: Receipt; message: ReportedMessage | undefined };
type Report = { id: string; receipt: Receipt; message: ReportedMessage; recipient: ReportedRecipient; key: NewReceipt };
type NewReport = Report & { meaning: ReceiptMeaning; at: Date };

export async function applyReceipts(
  ctx: Ctx,
  integration: IntegrationRow,
  receipts: Receipt[],
): Promise<MatchedReceipt[]> {
  const found = (await findMessages(ctx.db, integration, receipts)).map((one) => ({ ...one, id: ctx.newId() }));
  const early = found.flatMap((one) => toEarlyReceipt(integration, one));
  await insertEarlyReceipts(ctx.db, early);
  const results = await applyReports(
    ctx,
    integration,
    found.filter(({ message }) => !message?.is_under_way).flatMap(toReport),
  );
  const waiting = new Set(early.map(({ id }) => id));
  await insertInboundReceipts(
    ctx.db,
    found.map((one) =>
      toInboundReceipt(integration, one, waiting.has(one.id) ? waits : (results.get(one.id) ?? unknown)),
    ),
  );
  return found.map(({ receipt, message }) => ({ receipt, messageId: message?.id ?? null }));
}

/** For early receipts whose call has a result now. Receipts still unmatched are dropped. */
export async function applyKeptReceipts(
  ctx: Ctx,
  integration: IntegrationRow,
  kept: { id: string; receipt: Receipt }[],
): Promise<void> {
  const receipts = kept.map(({ receipt }) => receipt);
  const found = (await findMessages(ctx.db, integration, receipts)).map((one, index) => ({
    ...one,
    id: kept[index]!.id,
  }));
  const results = await applyReports(ctx, integration, found.flatMap(toReport));
  await resolveInboundReceipts(
    ctx.db,
    found.map(({ id, message }) => ({
      id,
      environment_id: integration.environment_id,
      ...(results.get(id) ?? unknown),
      message_id: message?.id ?? null,
    })),
  );
}

/** What happened to a receipt, as members see it. */
type ReceiptResult = Pick<InboundReceiptRow, "result" | "reason" | "changes">;

const waits: ReceiptResult = { result: "waiting", reason: null, changes: [] };
const repeated: ReceiptResult = { result: "duplicate", reason: null, changes: [] };
const unknown: ReceiptResult = { result: "refused", reason: "unknown_message", changes: [] };

const toInboundReceipt = (
  integration: IntegrationRow,
  { id, receipt, message }: FoundReceipt,
  result: ReceiptResult,
): InboundReceiptRow => ({
  id,
  environment_id: integration.environment_id,
  integration_id: integration.id,
  ...result,
  status: receipt.status,
  message_id: message?.id ?? null,
  external_id: storableId(receipt.externalId) ?? null,
  recipient: storableId(receipt.recipient) ?? null,
  excerpt: null,
});

async function findMessages(db: Db, integration: IntegrationRow, receipts: Receipt[]) {
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
function toEarlyReceipt(integration: IntegrationRow, { id, receipt, message }: FoundReceipt): EarlyReceipt[] {
  const { externalId, recipient, status, date, attempts, response } = receipt;
  const name = message ? (message.is_under_way ? message.id : undefined) : storableId(externalId);
  if (name === undefined) return [];
  const names = { messageId: message?.id, externalId: storableId(externalId), recipient: storableId(recipient) };
  return [
    {
      id,
      environment_id: integration.environment_id,
      integration_id: integration.id,
      name,
      receipt: { ...names, status, date, attempts, response },
    },
  ];
}

function toReport({ id, receipt, message }: FoundReceipt): Report[] {
  if (!message) return [];
  const recipient = findReportedRecipient(receipt.recipient, message);
  const key = {
    external_id: storableId(receipt.externalId) ?? message.id,
    status: receipt.status,
    reported_at: receipt.date ?? null,
    message_id: message.id,
    recipient: recipient.isOwn ? "" : (storableId(normalizeAddress(receipt.recipient ?? "")) ?? "?"),
  };
  return [{ id, receipt, message, recipient, key }];
}

/** Returns what happened to each report, by its id. */
async function applyReports(
  ctx: Ctx,
  integration: IntegrationRow,
  reports: Report[],
): Promise<Map<string, ReceiptResult>> {
  const now = ctx.now();
  const environmentId = integration.environment_id;
  const unique = [...new Map(reports.map((report) => [receiptKey(report.key), report])).values()];
  const keys = unique.map((report) => report.key);
  const isNew = await insertReceipts(ctx.db, environmentId, { integrationId: integration.id, receipts: keys, now });
  const fresh = unique
    .filter((report) => isNew.has(receiptKey(report.key)))
    .map(
      (report): NewReport => ({ ...report, meaning: meaningOf(report.receipt.status), at: report.receipt.date ?? now }),
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  await traceReceipts(ctx, integration, fresh);
  const byMessage = [...Map.groupBy(fresh, ({ message }) => message.id).values()];
  const confirmed = byMessage.flatMap(findConfirmed);
  await confirmSent(ctx, integration, confirmed);
  const resolved = await resolveLetters(ctx.db, environmentId, byMessage.flatMap(findAcceptedFailures));
  const changes = byMessage.map((group) => toReportedChange(integration, group, resolved, now));
  const failed = await recordReports(ctx.db, environmentId, { integrationId: integration.id, changes, now });
  await wakeReported(ctx, environmentId, fresh);
  await noteActivity(ctx.db, environmentId, "opened", openedBy(fresh, now));
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
  const effects = { failed, resolved, confirmed: new Set(confirmed.map(({ message }) => message.id)) };
  const results = new Map(reports.map(({ id }) => [id, repeated]));
  for (const report of fresh) {
    results.set(report.id, { result: "applied", reason: null, changes: changesOf(report, effects) });
  }
  return results;
}

/** Runs may wait for what a report says about their message. */
async function wakeReported(ctx: Ctx, environmentId: string, fresh: NewReport[]): Promise<void> {
  const own = fresh.filter(({ recipient }) => recipient.isOwn);
  for (const [name, group] of Map.groupBy(own, ({ meaning }) => meaning.detail)) {
    if (!name) continue;
    await wakeWatchers(ctx, environmentId, {
      messageIds: group.map(({ message }) => message.id),
      name,
      at: group[0]!.at,
    });
  }
}

/** Provider clocks may be ahead. A copy that another recipient opened does not count for the person. */
const openedBy = (fresh: NewReport[], now: Date): Activity[] =>
  fresh
    .filter(
      ({ recipient, meaning }) => recipient.isOwn && (meaning.detail === "opened" || meaning.detail === "clicked"),
    )
    .map(({ message, at }) => ({ subscriberId: message.subscriber_id, at: at < now ? at : now }));

/** The messages that reports of the same request changed. */
type Effects = { failed: Set<string>; resolved: Set<string>; confirmed: Set<string> };

function changesOf({ meaning, message, recipient }: NewReport, effects: Effects): InboundChange[] {
  const { isOwn, address } = recipient;
  const changes: [InboundChange, boolean | undefined][] = [
    ["delivered", isOwn && meaning.isDelivery],
    ["failed", isOwn && meaning.errorId !== undefined && effects.failed.has(message.id)],
    ["confirmed", meaning.isProof && effects.confirmed.has(message.id)],
    ["resolved", meaning.isProof && effects.resolved.has(message.id)],
    ["suppressed", meaning.suppress !== undefined && message.channel === "email" && address !== null],
    ["detail", meaning.detail !== undefined],
  ];
  return changes.flatMap(([change, isMade]) => (isMade ? change : []));
}

/**
 * A message with an unknown outcome whose provider proves that it has it. A reported failure proves nothing: such a
 * message is retried as planned.
 */
function findConfirmed(group: NewReport[]): ConfirmedMessage[] {
  const { message } = group[0]!;
  const proof = message.is_doubtful && group.find(({ meaning }) => meaning.isProof);
  return proof ? [{ message, externalId: storableId(proof.receipt.externalId) ?? null }] : [];
}

/**
 * A failed message that its provider has accepted after all: its dead letter is closed, because a replay would
 * duplicate it.
 */
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
