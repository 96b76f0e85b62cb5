// The in-app feed of a subscriber.
import { type FeedItem, type Input, inAppProviderId, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { createBoundedCache } from "../../lib/bounded-cache.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { maskOverrides } from "../../pipeline/rules/overrides.ts";
import { toCta } from "../../pipeline/views.ts";
import { markInboxConnected } from "../../store/environments/environments.ts";
import { listFeed as listFeedRows } from "../../store/messages/feed.ts";
import type { ListedMessage } from "../../store/messages/messages.ts";
import { unstorableTexts } from "../../validation.ts";
import { environmentNow } from "../environments/clock.ts";
import { pageRange, toPage } from "../paging.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";

export async function listFeed(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"subscribers.listFeed">,
): Promise<Output<"subscribers.listFeed">> {
  const payload = query.payload === undefined ? undefined : readPayloadFilter(query.payload);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  await recordInboxConnected(ctx, caller.environmentId);
  const { rows, totalCount } = await listFeedRows(
    ctx.db,
    caller.environmentId,
    subscriber.id,
    { read: query.read, seen: query.seen, payload },
    pageRange(query),
    await environmentNow(ctx, caller),
  );
  return { totalCount, ...toPage(rows, query, (row) => toFeedItem(ctx, caller, row)) };
}

/**
 * Environments that are known to have served a feed. Ids are unique across databases, so one cache serves all of them.
 * It keeps a read of the feed from writing every time.
 */
const connectedInboxes = createBoundedCache<true>(10_000);

/** Workflows with in-app steps have an issue until the first feed of their environment is read. */
export async function recordInboxConnected(ctx: Ctx, environmentId: string): Promise<void> {
  if (connectedInboxes.has(environmentId)) return;
  await markInboxConnected(ctx.db, environmentId, ctx.now());
  connectedInboxes.set(environmentId, true);
}

/** The standard or the URL alphabet, with or without padding. `Buffer.from` alone would skip other characters. */
const base64Pattern = /^[a-zA-Z0-9+/_-]+={0,2}$/;

function readPayloadFilter(text: string): JsonObject {
  // A plus sign that the client did not escape arrives as a space.
  const base64 = text.replaceAll(" ", "+");
  try {
    if (base64Pattern.test(base64)) {
      const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
      if (isObject(value) && Object.keys(unstorableTexts(value)).length === 0) return value;
    }
  } catch {
    // The same error as for a value that is not an object, or that PostgreSQL cannot store.
  }
  throw invalid({ payload: { messages: ["payload must be a base64-encoded JSON object"], value: text } });
}

const toFeedItem = ({ secrets }: Ctx, caller: Caller, row: ListedMessage): FeedItem => ({
  _id: row.id,
  _templateId: row.workflow_id,
  _environmentId: row.environment_id,
  _organizationId: caller.organizationId,
  _notificationId: row.notification_id,
  _subscriberId: row.subscriber_id,
  _jobId: row.job_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  actor: (row.actor as FeedItem["actor"] | null) ?? { type: "none", data: null },
  subscriber: row.subscriber
    ? {
        _id: row.subscriber.id,
        subscriberId: row.subscriber.subscriber_id,
        firstName: row.subscriber.first_name ?? undefined,
        lastName: row.subscriber.last_name ?? undefined,
        avatar: row.subscriber.avatar ?? undefined,
      }
    : undefined,
  transactionId: row.transaction_id,
  templateIdentifier: row.workflow_identifier ?? undefined,
  providerId: inAppProviderId,
  content: row.content ?? "",
  subject: row.subject,
  channel: "in_app",
  read: row.read_at !== null,
  seen: row.seen_at !== null,
  archived: row.archived_at !== null,
  cta: toCta(row.cta),
  status: row.status as FeedItem["status"],
  payload: row.payload,
  data: row.data,
  overrides: maskOverrides(secrets, row.overrides),
  tags: row.tags,
});
