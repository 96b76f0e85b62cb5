// What providers reported, listed; and the requests that were refused, written. A refused request is written outside of
// its transaction, which ends without a change, and only so often: a flood of them must not fill the disk.
import type { InboundReason, Input, Output, StoredReceipt } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import type { Caller, Ctx } from "../../context.ts";
import { timeOfId } from "../../lib/ids.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import {
  insertInboundReceipts,
  type ListedInboundReceipt,
  listInboundReceipts,
} from "../../store/messages/inbound-receipts.ts";
import { pageRange, toPage } from "../paging.ts";

const toStoredReceipt = (row: ListedInboundReceipt): StoredReceipt => ({
  id: row.id,
  integrationId: row.integration_id ?? undefined,
  integrationIdentifier: row.integration_identifier ?? undefined,
  providerId: row.provider_id ?? undefined,
  result: row.result,
  reason: row.reason ?? undefined,
  status: row.status ?? undefined,
  changes: row.changes,
  messageId: row.message_id ?? undefined,
  transactionId: row.transaction_id ?? undefined,
  externalId: row.external_id ?? undefined,
  recipient: row.recipient ?? undefined,
  excerpt: row.excerpt ?? undefined,
  createdAt: new Date(timeOfId(row.id)).toISOString(),
});

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"inboundReceipts.list">,
): Promise<Output<"inboundReceipts.list">> {
  const { integrationIdentifier, result } = query;
  const integration =
    integrationIdentifier === undefined
      ? undefined
      : await findIntegration(ctx.db, environmentId, integrationIdentifier);
  if (integrationIdentifier !== undefined && !integration)
    return { ...toPage([], query, toStoredReceipt), totalCount: 0 };
  const filters = { integrationId: integration?.id, result };
  const { rows, totalCount } = await listInboundReceipts(ctx.db, environmentId, filters, pageRange(query));
  return { ...toPage(rows, query, toStoredReceipt), totalCount };
}

/**
 * Refused requests that one process stores for an integration in a minute; housekeeping keeps the newest of an
 * environment.
 */
const refusedPerMinute = 20;
const minuteMs = 60_000;

/** By integration: when its minute began, and what was stored since. */
const counters = new LRUCache<string, { since: number; count: number }>({ max: 5_000 });

function mayStore(name: string, now: number): boolean {
  const known = counters.get(name);
  const counter = known && now - known.since < minuteMs ? known : { since: now, count: 0 };
  counters.set(name, counter);
  return counter.count++ < refusedPerMinute;
}

/** Stored of a request. */
const maxExcerptLength = 2_000;

/** A text member of a JSON text, with its name. */
const textMember = /("([^"]{1,100})"\s{0,9}:\s{0,9})"(?:[^"\\]|\\.)*"?/g;
const secretName = /pass|secret|token|key|auth|sign/i;

/**
 * The beginning of a request that was not taken, without the values that look like secrets and without the signing key.
 */
export function excerptOf(text: string, key = ""): string {
  // Cut first: nothing here has to read megabytes.
  const start = storableText(text, 2 * maxExcerptLength);
  const withoutKey = key.length > 3 ? start.replaceAll(key, "…") : start;
  const isJson = /^\s*[[{"]/.test(withoutKey);
  const shown = isJson ? hideMembers(withoutKey) : hideFields(withoutKey);
  return storableText(shown.replace(/\p{Cc}+/gu, " "), maxExcerptLength);
}

const hideMembers = (json: string): string =>
  json.replace(textMember, (member, start: string, name: string) => (secretName.test(name) ? `${start}"…"` : member));

const hideFields = (form: string): string =>
  form
    .split("&")
    .map((field) => {
      const [name = "", ...value] = field.split("=");
      return value.length > 0 && secretName.test(name) ? `${name}=…` : field;
    })
    .join("&");

export type RefusedReceipt = {
  environmentId: string;
  /** Absent when it is not known. */
  integrationId?: string;
  reason: InboundReason;
  excerpt: string;
};

export async function storeRefused(ctx: Ctx, refused: RefusedReceipt): Promise<void> {
  const { environmentId, integrationId, reason, excerpt } = refused;
  if (!mayStore(integrationId ?? environmentId, ctx.now().getTime())) return;
  const row = {
    id: ctx.newId(),
    environment_id: environmentId,
    integration_id: integrationId ?? null,
    result: reason === "no_report" ? ("ignored" as const) : ("refused" as const),
    reason,
    status: null,
    changes: [],
    message_id: null,
    external_id: null,
    recipient: null,
    excerpt,
  };
  await insertInboundReceipts(ctx.db, [row]);
}
