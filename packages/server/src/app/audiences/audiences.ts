// Audiences: rules over subscribers that are saved under a name, and fixed lists. Their people: audience-people.ts.
import {
  type Audience,
  audiencesPerEnvironment,
  conditionText,
  type Input,
  type JsonObject,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { deleteAudiences, listAllAudiences, listBroadcastAudiences } from "../../store/audiences/audience-files.ts";
import {
  type AudienceRow,
  findAudiencesByKeys,
  insertAudience,
  listAudienceIds,
  listAudiences,
  updateAudience,
} from "../../store/audiences/audiences.ts";
import { countEveryone, hasOthers } from "../../store/audiences/people.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { listWorkflows } from "../../store/workflows/workflows.ts";
import { peekNow } from "../environments/clock.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { readPeople, refuseRule } from "./audience-rules.ts";
import { userOfAudience } from "./audience-uses.ts";

export const toAudience = (row: AudienceRow): Audience => ({
  _id: row.id,
  audienceId: row.audience_id,
  name: row.name,
  description: row.description,
  kind: row.rule ? "rule" : "fixed",
  rule: row.rule,
  sentence: row.rule ? conditionText(row.rule) : "A fixed list of people",
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The audience of a path, or 404. */
export async function requireAudience({ db }: Ctx, caller: Caller, audienceId: string): Promise<AudienceRow> {
  const [row] = await findAudiencesByKeys(db, caller.environmentId, [audienceId]);
  if (!row) throw failure("AUDIENCE_NOT_FOUND", { audienceId });
  return row;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"audiences.list">,
): Promise<Output<"audiences.list">> {
  const page = await listAudiences(ctx.db, caller.environmentId, query.query, readCursor(query));
  return toCursorList(page, toAudience);
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"audiences.retrieve">,
): Promise<Output<"audiences.retrieve">> {
  return toAudience(await requireAudience(ctx, caller, params.audienceId));
}

/** Before the transaction of the request: a query over all people must not hold up others. */
async function refuseEveryone(
  ctx: NetworkCtx,
  caller: Caller,
  { rule, audienceId, allowEveryone }: { rule?: JsonObject; audienceId: string; allowEveryone?: boolean },
): Promise<void> {
  if (!rule) return;
  const reading = { ...ctx, db: ctx.reads.db };
  await refuseRule(reading, caller, { rule, audienceId });
  const { environmentId } = caller;
  const now = await peekNow(reading, caller);
  const isEveryone = await readPeople(
    reading,
    caller,
    { rule, now },
    async (db, condition) => !(await hasOthers(db, environmentId, condition)),
  );
  if (!isEveryone || allowEveryone) return;
  const people = await countEveryone(reading.db, environmentId);
  if (people > 0) throw failure("AUDIENCE_MATCHES_EVERYONE", { people: people.toLocaleString("en") });
}

/** 409 for an id that a snapshot has taken meanwhile: snapshots do not lock the environment. */
export async function insertNew({ db }: Ctx, row: AudienceRow): Promise<void> {
  const duplicate = failure("AUDIENCE_EXISTS", { audienceId: row.audience_id });
  await refuseDuplicate(() => insertAudience(db, row), duplicate, "audiences_audience_id");
}

export const checkNew = (ctx: NetworkCtx, caller: Caller, { body }: Input<"audiences.create">): Promise<void> =>
  refuseEveryone(ctx, caller, body);

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body: { audienceId, name, description = null, rule } }: Input<"audiences.create">,
): Promise<Output<"audiences.create">> {
  const { db } = ctx;
  const { environmentId } = caller;
  await lockEnvironment(db, environmentId);
  const others = await listAudienceIds(db, environmentId);
  if (others.has(audienceId)) throw failure("AUDIENCE_EXISTS", { audienceId });
  if (others.size >= audiencesPerEnvironment)
    throw failure("AUDIENCE_LIMIT", { limit: String(audiencesPerEnvironment) });
  // Again, now that no other request changes audiences.
  if (rule) await refuseRule(ctx, caller, { rule, audienceId });
  const now = ctx.now();
  const row: AudienceRow = {
    environment_id: environmentId,
    id: ctx.newId(),
    audience_id: audienceId,
    name,
    description,
    rule: rule ?? null,
    created_at: now,
    updated_at: now,
  };
  await insertNew(ctx, row);
  return toAudience(row);
}

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params: { audienceId }, body }: Input<"audiences.update">,
): Promise<void> {
  const row = await requireAudience(ctx, caller, audienceId);
  if (body.rule) refuseFixed(row);
  await refuseEveryone(ctx, caller, { ...body, audienceId });
}

const refuseFixed = ({ audience_id, rule }: AudienceRow): void => {
  if (!rule) throw failure("AUDIENCE_KIND", { audienceId: audience_id, kind: "a fixed list, which has no rule" });
};

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params: { audienceId }, body }: Input<"audiences.update">,
): Promise<Output<"audiences.update">> {
  await lockEnvironment(ctx.db, caller.environmentId);
  const row = await requireAudience(ctx, caller, audienceId);
  if (body.rule) {
    refuseFixed(row);
    await refuseRule(ctx, caller, { rule: body.rule, audienceId });
  }
  const changed: AudienceRow = {
    ...row,
    name: body.name ?? row.name,
    description: body.description === undefined ? row.description : body.description,
    rule: body.rule ?? row.rule,
    updated_at: ctx.now(),
  };
  await updateAudience(ctx.db, changed);
  return toAudience(changed);
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { audienceId } }: Input<"audiences.delete">,
): Promise<Output<"audiences.delete">> {
  const { db } = ctx;
  const { environmentId } = caller;
  await lockEnvironment(db, environmentId);
  const row = await requireAudience(ctx, caller, audienceId);
  const users = userOfAudience(audienceId, {
    audiences: await listAllAudiences(db, environmentId),
    workflows: await listWorkflows(db, environmentId, {}, { by: "createdAt", direction: "ASC" }),
    broadcasts: await listBroadcastAudiences(db, environmentId),
  });
  if (users !== null) throw failure("AUDIENCE_IN_USE", { audienceId, users });
  await deleteAudiences(db, environmentId, [row.id]);
}
