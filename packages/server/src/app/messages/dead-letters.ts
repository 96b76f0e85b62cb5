// Dead letters: messages whose delivery failed for good, listed, grouped by cause and replayed. Replays at a pace are
// dead-letter-replays.ts.
import {
  type DeadLetter,
  type DeadLetterGroup,
  groupedLetters,
  groupedWorkflows,
  type Input,
  maxGroups,
  maxReplays,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector, invalid } from "../../failure.ts";
import { replayLetters, toFilters } from "../../pipeline/deliver/replay.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  type DeadLetterGroupRow,
  findDeadLetter,
  groupDeadLetters,
  type ListedDeadLetter,
  listDeadLetters,
} from "../../store/messages/dead-letters.ts";
import { pageRange, toPage } from "../paging.ts";

export const toDeadLetter = (row: ListedDeadLetter): DeadLetter => ({
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

const toGroup = (row: DeadLetterGroupRow): DeadLetterGroup => ({
  integrationId: row.integration_id,
  integrationIdentifier: row.integration_identifier,
  integrationName: row.integration_name,
  isIntegrationActive: row.is_active,
  isCircuitOpen: row.is_open,
  providerId: row.provider_id,
  channel: row.channel,
  errorClass: row.error_class,
  workflows: row.workflows,
  workflowCount: row.workflow_count,
  count: row.count,
  firstAt: row.first_at.toISOString(),
  lastAt: row.last_at.toISOString(),
  errorText: row.error_text,
});

export async function listGroups(
  ctx: Ctx,
  caller: Caller,
  _input: Input<"deadLetters.listGroups">,
): Promise<Output<"deadLetters.listGroups">> {
  const limits = { most: groupedLetters, groups: maxGroups, workflows: groupedWorkflows };
  const { rows, totalCount } = await groupDeadLetters(ctx.db, caller.environmentId, limits);
  return { data: rows.map(toGroup), totalCount };
}

export const notOpenReasons: Record<DeadLetter["status"], string> = {
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
  if ((await replayLetters(ctx, caller.environmentId, { ids: [id] }, { limit: 1 })) === 0) {
    throw failure("DEAD_LETTER_NOT_OPEN", { id, reason: notOpenReasons[found.status] });
  }
  return toDeadLetter((await findDeadLetter(ctx.db, caller.environmentId, id))!);
}

export async function replayMany(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"deadLetters.replayMany">,
): Promise<Output<"deadLetters.replayMany">> {
  checkSelection(body);
  const ids = body.ids && [...new Set(body.ids)];
  const integration = body.integrationIdentifier && (await requireSender(ctx, caller, body.integrationIdentifier));
  const selection = ids ? { ids } : { filters: toFilters(body.filter!) };
  const replayed = await replayLetters(ctx, caller.environmentId, selection, {
    integration: integration || undefined,
    perSecond: body.perSecond,
    limit: maxReplays,
  });
  return { replayed, failed: ids ? ids.length - replayed : 0 };
}

/** 422 unless letters are chosen by exactly one of `ids` and `filter`. */
export function checkSelection({ ids, filter }: { ids?: unknown; filter?: unknown }): void {
  const faults = faultCollector();
  if (ids && filter) faults.add("filter", "filter cannot be used together with ids");
  if (!ids && !filter) faults.add("ids", "ids or filter is required");
  faults.throwIfAny();
}

/**
 * The integration of a replay: for email or SMS. Device tokens and chat addresses are bound to their own integration.
 */
export async function requireSender(ctx: Ctx, caller: Caller, identifier: string): Promise<IntegrationRow> {
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
