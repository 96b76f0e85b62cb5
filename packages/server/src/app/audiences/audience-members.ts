// Fixed audiences: who is added and removed, and snapshots of other audiences.
import { audiencesPerEnvironment, type Input, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { audienceCondition } from "../../pipeline/audiences/condition.ts";
import { deleteMembers, insertMatching, insertMembers } from "../../store/audiences/audience-members.ts";
import { type AudienceRow, holdAudience, listAudienceIds } from "../../store/audiences/audiences.ts";
import { isStatementTimeout } from "../../store/db.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import { peekNow } from "../environments/clock.ts";
import { insertNew, requireAudience, toAudience } from "./audiences.ts";

/** As long as people of a broadcast may take to be fixed: a snapshot writes as many rows. */
const snapshotMs = 60_000;

export async function addMembers(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"audiences.addMembers">,
): Promise<Output<"audiences.addMembers">> {
  const { db } = ctx;
  const audience = await holdFixed(ctx, caller, params.audienceId);
  const given = [...new Set(body.subscriberIds.map((id) => id.trim()))];
  const rows = await findSubscribersByKeys(db, caller.environmentId, given);
  const known = new Set(rows.map((row) => row.subscriber_id));
  const ids = rows.map(({ id }) => id);
  const added = await insertMembers(db, caller.environmentId, audience.id, ids);
  return { added, unknown: given.filter((id) => !known.has(id)) };
}

export async function removeMembers(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"audiences.removeMembers">,
): Promise<Output<"audiences.removeMembers">> {
  const { db } = ctx;
  const audience = await holdFixed(ctx, caller, params.audienceId);
  const given = body.subscriberIds.map((id) => id.trim());
  const rows = await findSubscribersByKeys(db, caller.environmentId, given);
  const ids = rows.map(({ id }) => id);
  return { removed: await deleteMembers(db, caller.environmentId, audience.id, ids) };
}

/**
 * The copy may take long, so nothing is locked that others need: only who creates an audience with the same id waits.
 */
export async function snapshot(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"audiences.snapshot">,
): Promise<Output<"audiences.snapshot">> {
  const { db } = ctx;
  const { environmentId } = caller;
  const source = await requireAudience(ctx, caller, params.audienceId);
  const others = await listAudienceIds(db, environmentId);
  if (others.has(body.audienceId)) throw failure("AUDIENCE_EXISTS", { audienceId: body.audienceId });
  if (others.size >= audiencesPerEnvironment)
    throw failure("AUDIENCE_LIMIT", { limit: String(audiencesPerEnvironment) });
  const now = await peekNow(ctx, caller);
  const row: AudienceRow = {
    environment_id: environmentId,
    id: ctx.newId(),
    audience_id: body.audienceId,
    name: body.name ?? `${source.name.slice(0, 100)}, ${now.toISOString().slice(0, 10)}`,
    description: null,
    rule: null,
    created_at: ctx.now(),
    updated_at: ctx.now(),
  };
  await insertNew(ctx, row);
  await fill(ctx, { source, row, now });
  return toAudience(row);
}

async function fill({ db }: Ctx, given: { source: AudienceRow; row: AudienceRow; now: Date }): Promise<void> {
  const { source, row, now } = given;
  const condition = await audienceCondition(db, row.environment_id, [source.audience_id], now);
  try {
    await insertMatching(db, row.environment_id, row.id, { condition, limitMs: snapshotMs });
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    const part = `the people of ${source.audience_id} could not be copied in ${snapshotMs / 1_000} seconds`;
    throw failure("AUDIENCE_TOO_SLOW", { part });
  }
}

/** 409 for an audience that follows a rule. */
async function holdFixed(ctx: Ctx, caller: Caller, audienceId: string): Promise<AudienceRow> {
  const row = await holdAudience(ctx.db, caller.environmentId, audienceId);
  if (!row) throw failure("AUDIENCE_NOT_FOUND", { audienceId });
  if (row.rule)
    throw failure("AUDIENCE_KIND", { audienceId, kind: "a rule, not a fixed list: change its rule instead" });
  return row;
}
