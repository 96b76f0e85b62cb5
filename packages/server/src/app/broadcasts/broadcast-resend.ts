// A draft for the people of one outcome of a broadcast: the same content, and a fixed audience that holds them.
import { audiencesPerEnvironment, type BroadcastOutcome, type Input, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { countDrafts, insertBroadcast } from "../../store/broadcasts/broadcasts.ts";
import { insertAudienceWith, type NewFixedAudience, type ResultEvent } from "../../store/broadcasts/results.ts";
import { isStatementTimeout, withTimeLimit } from "../../store/db.ts";
import { environmentNow } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";
import { requireResults } from "./broadcast-results.ts";
import { draftsPerEnvironment, viewBroadcast } from "./broadcasts.ts";

const maxNameLength = 128;

const outcomeWords: Record<BroadcastOutcome, string> = {
  sent: "were sent it",
  delivered: "got it",
  opened: "opened it",
  clicked: "clicked",
  not_opened: "did not open it",
  failed: "could not be reached",
  skipped: "were left out",
  unsubscribed: "unsubscribed",
  complained: "complained",
};

export async function resend(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"broadcasts.resend">,
): Promise<Output<"broadcasts.resend">> {
  const { environmentId } = caller;
  const outcome = body?.outcome ?? "not_opened";
  const { row, event } = await requireResults(ctx, environmentId, params.broadcastId);
  if ((await countDrafts(ctx.db, environmentId)) >= draftsPerEnvironment) {
    throw failure("BROADCAST_LIMIT", { limit: String(draftsPerEnvironment) });
  }
  const now = await environmentNow(ctx, caller);
  const id = ctx.newId();
  const audienceId = `broadcast-${id.replaceAll("-", "").slice(-12)}`;
  const audience = {
    id: ctx.newId(),
    audience_id: audienceId,
    name: `${row.name.slice(0, 80)}: ${outcome.replaceAll("_", " ")}`,
    description: `People of the broadcast "${row.name}" who ${outcomeWords[outcome]}`,
    now,
  };
  await createAudience(ctx, environmentId, event, { outcome, audience });
  const again = " (again)";
  const created = await insertBroadcast(ctx.db, environmentId, {
    id,
    name: row.name.endsWith(again) ? row.name : `${row.name.slice(0, maxNameLength - again.length)}${again}`,
    content: row.content,
    audience: { include: [audienceId] },
    time: { kind: "now" },
    pace: row.pace,
    expires_at: null,
    resend_of: row.id,
    created_by: actorOf(caller).name,
    created_at: now,
    updated_at: now,
  });
  return viewBroadcast(ctx, created, now);
}

/** As long as a snapshot of an audience may take. */
const copyMs = 60_000;

async function createAudience(
  { db }: Ctx,
  environmentId: string,
  event: ResultEvent,
  given: { outcome: BroadcastOutcome; audience: NewFixedAudience },
): Promise<void> {
  const limit = audiencesPerEnvironment;
  const insert = () => insertAudienceWith(db, environmentId, event, { ...given, limit });
  try {
    if (!(await withTimeLimit(db, copyMs, insert))) throw failure("AUDIENCE_LIMIT", { limit: String(limit) });
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    const part = `the people of the broadcast could not be copied in ${copyMs / 1_000} seconds`;
    throw failure("AUDIENCE_TOO_SLOW", { part });
  }
}
