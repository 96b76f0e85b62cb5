// Dead letters: messages whose delivery failed for good, listed and replayed. A replay locks its dead letters, so concurrent
// replays send no duplicate.
import { type DeadLetter, type Input, maxReplays, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector, invalid } from "../../failure.ts";
import { openBatch } from "../../pipeline/batch.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  type DeadLetterFilters,
  findDeadLetter,
  type ListedDeadLetter,
  listDeadLetters,
  lockOpenLetters,
  reopenMessages,
} from "../../store/messages/dead-letters.ts";
import { pageRange, toPage } from "../paging.ts";

type Filter = NonNullable<Input<"deadLetters.replayMany">["body"]["filter"]>;

const toFilters = ({ after, before, ...filters }: Filter): DeadLetterFilters => ({
  ...filters,
  after: after ? new Date(after) : undefined,
  before: before ? new Date(before) : undefined,
});

const toDeadLetter = (row: ListedDeadLetter): DeadLetter => ({
  id: row.id,
  messageId: row.message_id,
  notificationId: row.notification_id,
  transactionId: row.transaction_id,
  subscriberId: row.subscriber_id,
  workflowId: row.workflow_identifier ?? row.workflow_id,
  stepId: row.step_id,
  channel: row.channel,
  providerId: row.provider_id,
  integrationIdentifier: row.integration_identifier,
  errorClass: row.error_class,
  errorId: row.error_id,
  errorText: row.error_text,
  attempts: row.attempts,
  status: row.status,
  createdAt: row.created_at.toISOString(),
  replayedAt: row.replayed_at?.toISOString(),
});

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"deadLetters.list">,
): Promise<Output<"deadLetters.list">> {
  const { page, limit, status, ...filter } = query;
  const filters = { ...toFilters(filter), status };
  const { rows, totalCount } = await listDeadLetters(ctx.db, caller.environmentId, filters, pageRange(query));
  return { ...toPage(rows, query, toDeadLetter), totalCount };
}

const notOpenReasons: Record<DeadLetter["status"], string> = {
  open: "its message is gone, or was sent or canceled since",
  replayed: "it was replayed before",
  resolved: "a provider has reported that it took the message",
};

export async function replay(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"deadLetters.replay">,
): Promise<Output<"deadLetters.replay">> {
  const { id } = params;
  const found = await findDeadLetter(ctx.db, caller.environmentId, id);
  if (!found) throw failure("DEAD_LETTER_NOT_FOUND", { id });
  if ((await replayLetters(ctx, caller, { ids: [id] }, {})) === 0) {
    throw failure("DEAD_LETTER_NOT_OPEN", { id, reason: notOpenReasons[found.status] });
  }
  return toDeadLetter((await findDeadLetter(ctx.db, caller.environmentId, id))!);
}

export async function replayMany(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"deadLetters.replayMany">,
): Promise<Output<"deadLetters.replayMany">> {
  const faults = faultCollector();
  if (body.ids && body.filter) faults.add("filter", "filter cannot be used together with ids");
  if (!body.ids && !body.filter) faults.add("ids", "ids or filter is required");
  faults.throwIfAny();
  const ids = body.ids && [...new Set(body.ids)];
  const integration = body.integrationIdentifier && (await requireSender(ctx, caller, body.integrationIdentifier));
  const selection = ids ? { ids } : { filters: toFilters(body.filter!) };
  const replayed = await replayLetters(ctx, caller, selection, {
    integration: integration || undefined,
    perSecond: body.perSecond,
  });
  return { replayed, failed: ids ? ids.length - replayed : 0 };
}

/** The integration of a replay: for email or SMS. Device tokens and chat addresses are bound to their own integration. */
async function requireSender(ctx: Ctx, caller: Caller, identifier: string): Promise<IntegrationRow> {
  const integration = await findIntegration(ctx.db, caller.environmentId, identifier);
  if (!integration) throw failure("INTEGRATION_NOT_FOUND", { integrationId: identifier });
  const refuse = (why: string) =>
    invalid({ integrationIdentifier: { messages: [`integrationIdentifier ${why}`], value: identifier } });
  if (integration.channel !== "email" && integration.channel !== "sms") {
    throw refuse(`must name an email or SMS integration, not ${integration.channel}`);
  }
  if (!integration.active) throw refuse("must name an active integration");
  return integration;
}

/** `integration`: tried first, instead of the one that failed. */
type ReplayOptions = { integration?: IntegrationRow; perSecond?: number };

/** Answers how many messages were put back into the queue. */
async function replayLetters(
  ctx: Ctx,
  { environmentId }: Caller,
  selection: { ids: string[] } | { filters: DeadLetterFilters },
  { integration, perSecond }: ReplayOptions,
): Promise<number> {
  const batch = await openBatch(ctx, [environmentId]);
  const now = batch.clock.now(environmentId);
  const locked = await lockOpenLetters(ctx.db, environmentId, selection, integration?.channel, maxReplays);
  const intervalMs = perSecond ? 1000 / perSecond : 0;
  const letters = locked.map((letter, index) => ({ ...letter, at: new Date(now.getTime() + index * intervalMs) }));
  const replayed = detail("replayed", now, integration ? { raw: { integration: integration.identifier } } : {});
  await reopenMessages(ctx.db, environmentId, letters, integration?.id ?? null, replayed, now);
  const tasks = letters.map(({ message_id, integration_id, at }) => ({
    environmentId,
    data: { messageIds: [message_id] },
    at: perSecond ? at : undefined,
    lane: integration?.id ?? integration_id,
  }));
  await enqueueTimed(batch, "deliver", tasks);
  return letters.length;
}
