// Delivery reports take effect: each once, in any order, whatever else the same request reports. A report never makes a
// failed message sent again.
import type { Receipt } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
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
import { confirmSent, type Doubtful } from "./confirm.ts";
import { type Concerned, concernedBy, type Meaning, meaningOf } from "./receipt-rules.ts";

/** A report with the message it is about; null when we know none, and nothing follows from it. */
export type Matched = { receipt: Receipt; messageId: string | null };

type Report = { receipt: Receipt; message: ReportedMessage; concerned: Concerned; key: NewReceipt };
type New = Report & { meaning: Meaning; at: Date };

/** A provider's own id is never longer; and an index has to hold it. */
const maxIdBytes = 512;
const isName = (text: string | undefined): text is string =>
  text !== undefined && Buffer.byteLength(text) <= maxIdBytes && text.isWellFormed() && !text.includes("\0");
export const nameOf = (text: string | undefined): string | undefined => (isName(text) ? text : undefined);

export async function applyReceipts(ctx: Ctx, integration: IntegrationRow, receipts: Receipt[]): Promise<Matched[]> {
  const sorted = await match(ctx.db, integration, receipts);
  const early = sorted.flatMap((one) => earlyOf(ctx, integration, one));
  await insertEarlyReceipts(ctx.db, early);
  const reports = sorted.filter(({ message }) => !message?.is_under_way).flatMap(toReport);
  await takeEffect(ctx, integration, reports);
  return sorted.map(({ receipt, message }) => ({ receipt, messageId: message?.id ?? null }));
}

/** For those that have waited for the result of their call: what nobody knows now is nobody's. */
export async function applyKept(ctx: Ctx, integration: IntegrationRow, receipts: Receipt[]): Promise<void> {
  await takeEffect(ctx, integration, (await match(ctx.db, integration, receipts)).flatMap(toReport));
}

type Sorted = { receipt: Receipt; message: ReportedMessage | undefined };

async function match(tx: Db, integration: IntegrationRow, receipts: Receipt[]): Promise<Sorted[]> {
  const externalIds = receipts.flatMap(({ externalId }) => (isName(externalId) ? [externalId] : []));
  const messageIds = receipts.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  const names = { externalIds, messageIds };
  const held = await holdReportedMessages(tx, integration.environment_id, integration.id, names);
  const byId = new Map(held.map((message) => [message.id, message]));
  const byExternalId = new Map(held.flatMap((message) => message.external_ids.map((id) => [id, message] as const)));
  // Our own id first: where a provider sends both, its own may be that of another call.
  const find = ({ messageId, externalId }: Receipt) => byId.get(messageId ?? "") ?? byExternalId.get(externalId ?? "");
  return receipts.map((receipt) => ({ receipt, message: find(receipt) }));
}

/** What is to wait for the result of its call; see early-receipts.ts. */
function earlyOf(ctx: Ctx, integration: IntegrationRow, { receipt, message }: Sorted): EarlyReceipt[] {
  const { externalId, recipient, status, date, attempts, response } = receipt;
  const name = message ? (message.is_under_way ? message.id : undefined) : nameOf(externalId);
  if (name === undefined) return [];
  const names = { messageId: message?.id, externalId: nameOf(externalId), recipient: nameOf(recipient) };
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

function toReport({ receipt, message }: Sorted): Report[] {
  if (!message) return [];
  const concerned = concernedBy(receipt.recipient, message);
  const key = {
    external_id: nameOf(receipt.externalId) ?? message.id,
    status: receipt.status,
    reported_at: receipt.date ?? null,
    message_id: message.id,
    recipient: concerned.isOwn ? "" : (nameOf(normalizeAddress(receipt.recipient ?? "")) ?? "?"),
  };
  return [{ receipt, message, concerned, key }];
}

async function takeEffect(ctx: Ctx, integration: IntegrationRow, reports: Report[]): Promise<void> {
  const now = ctx.now();
  const environmentId = integration.environment_id;
  const unique = [...new Map(reports.map((report) => [receiptKey(report.key), report])).values()];
  const keys = unique.map((report) => report.key);
  const isNew = await insertReceipts(ctx.db, environmentId, integration.id, keys, now);
  const fresh = unique
    .filter((report) => isNew.has(receiptKey(report.key)))
    .map((report): New => ({ ...report, meaning: meaningOf(report.receipt.status), at: report.receipt.date ?? now }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
  const byMessage = [...Map.groupBy(fresh, ({ message }) => message.id).values()];
  await confirmSent(ctx, integration, byMessage.flatMap(doubtfulOf));
  const resolved = await resolveLetters(ctx.db, environmentId, byMessage.flatMap(takenAfterAll));
  const changes = byMessage.map((group) => changeOf(integration, group, resolved, now));
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

/** A failure that is reported says no more than that: the message is tried again as it would have been. */
function doubtfulOf(group: New[]): Doubtful[] {
  const { message } = group[0]!;
  const proof = message.is_doubtful && group.find(({ meaning }) => meaning.isProof);
  return proof ? [{ message, externalId: isName(proof.receipt.externalId) ? proof.receipt.externalId : null }] : [];
}

/** Given up, and now its provider says that it has it: a replay would be a double. */
function takenAfterAll(group: New[]): string[] {
  const { message } = group[0]!;
  return message.has_failed && group.some(({ meaning }) => meaning.isProof && !meaning.errorId) ? [message.id] : [];
}

function changeOf(integration: IntegrationRow, group: New[], resolved: Set<string>, now: Date): ReportedChange {
  const { message } = group[0]!;
  const own = group.filter(({ concerned }) => concerned.isOwn);
  const failure = own.find(({ meaning }) => meaning.errorId);
  const said = failure?.receipt.response;
  return {
    message_id: message.id,
    job_id: message.job_id,
    delivered: own.flatMap(({ meaning, at }) => (meaning.isDelivery ? [at.toISOString()] : [])),
    error_id: failure?.meaning.errorId ?? null,
    error_text: failure ? `The provider reported "${failure.receipt.status}"${said ? `: ${said}` : ""}` : null,
    details: [
      ...group.flatMap((report) => detailOf(integration, report)),
      ...(resolved.has(message.id) ? [detail("letter_resolved", now, { raw: { messageId: message.id } })] : []),
    ],
  };
}

function detailOf({ provider_id: providerId }: IntegrationRow, report: New): StoredDetail[] {
  const { meaning, receipt, message, concerned, at } = report;
  if (!meaning.detail) return [];
  const { status, recipient, response } = receipt;
  const externalId = nameOf(receipt.externalId);
  const raw = {
    messageId: message.id,
    status,
    ...(concerned.isOwn ? {} : { recipient }),
    ...(externalId ? { externalId } : {}),
    ...(response ? { response } : {}),
  };
  return [detail(meaning.detail, at, { providerId, raw })];
}

/** Only what is addressed by the person: a device that is gone is the provider's word for a token, not for an address. */
function suppressionOf(ctx: Ctx, { meaning, message, concerned: { address } }: New): NewSuppression[] {
  if (!meaning.suppress || message.channel !== "email" || !address) return [];
  return [{ id: ctx.newId(), channel: "email", address, reason: meaning.suppress, message_id: message.id }];
}

const eventsOf = (environmentId: string, change: ReportedChange, hasFailed: boolean, at: Date): MessageChange[] => {
  const event = { environmentId, messageId: change.message_id, at };
  return [
    ...(change.delivered.length > 0 ? [{ ...event, type: "message.delivered" as const }] : []),
    ...(hasFailed ? [{ ...event, type: "message.failed" as const, error: { message: change.error_text! } }] : []),
  ];
};
