// The checklist of a draft: what is wrong with it at once, and then a dry run of its whole audience in the background
// (pipeline/broadcasts/check-stage.ts).
import { type BroadcastCheck, type BroadcastCheckItem, type Input, isChannel, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { openBatch } from "../../pipeline/batch.ts";
import { enqueueCheck } from "../../pipeline/broadcasts/check-stage.ts";
import { checklistOf } from "../../pipeline/broadcasts/check-words.ts";
import { evaluateBroadcast } from "../../pipeline/broadcasts/simulate-people.ts";
import { findAudiencesByKeys } from "../../store/audiences/audiences.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import { type CheckSource, type CheckState, startCheck } from "../../store/broadcasts/checks.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { findTriggerTargets } from "../../store/workflows/workflows.ts";
import { environmentNow } from "../environments/clock.ts";
import { awaitedVersionId } from "./broadcast-content.ts";
import { type DraftFault, findDraftFaults } from "./broadcast-faults.ts";
import { findSource } from "./broadcast-source.ts";
import { requireBroadcast, requireStatus } from "./broadcasts.ts";

export async function check(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"broadcasts.check">,
): Promise<Output<"broadcasts.check">> {
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, params.broadcastId, { lock: true });
  requireStatus(row, ["draft", "awaiting_approval"], "only drafts are checked");
  const { revision } = row;
  const state = await newCheck(ctx, caller, row);
  await startCheck(ctx.db, environmentId, row.id, { state, revision });
  if (state.status === "running") {
    const batch = await openBatch(ctx, [environmentId]);
    await enqueueCheck(batch, environmentId, { broadcastId: row.id, checkId: state.id });
  }
  return toCheck(state, true);
}

export async function retrieveCheck(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"broadcasts.retrieveCheck">,
): Promise<Output<"broadcasts.retrieveCheck">> {
  const { broadcastId } = params;
  const row = await requireBroadcast(ctx, environmentId, broadcastId);
  const state = row.checked as CheckState | null;
  if (!state) throw failure("BROADCAST_NOT_CHECKED", { broadcastId });
  return toCheck(state, row.revision === row.checked_revision && (await isSameVersion(ctx, row, state)));
}

/** A saved workflow may have been changed since; steps written in place are part of the draft. */
async function isSameVersion({ db }: Ctx, row: BroadcastRow, { source }: CheckState): Promise<boolean> {
  if (!source?.savedVersionId) return true;
  const [target] = await findTriggerTargets(db, row.environment_id, [source.target.workflow_id]);
  const versionId = awaitedVersionId(row) ?? target?.version_id;
  return versionId === source.savedVersionId && target?.active === true;
}

const toCheck = (state: CheckState, isCurrent: boolean): BroadcastCheck => ({
  status: state.status,
  isCurrent,
  people: state.people,
  checked: state.checked,
  items: checklistOf(state),
  steps: state.steps.map(({ stepId, type, outcomes }) => ({ stepId, type, outcomes })),
  startedAt: state.startedAt,
  finishedAt: state.finishedAt,
});

/** Runs where the draft has content and an audience; otherwise it has ended with what is missing. */
async function newCheck(ctx: Ctx, caller: Caller, row: BroadcastRow): Promise<CheckState> {
  const { environmentId } = caller;
  const now = await environmentNow(ctx, caller);
  const faults = await findDraftFaults(ctx, caller, row, now);
  const found = await findSource(ctx, caller, row);
  const source = "fault" in found ? null : found;
  const refused = source ? await refusals(ctx, environmentId, row, source, now) : [];
  const unknown = await audienceProblems(ctx, environmentId, row);
  const warnings = [...emptyMessages(source), ...(await paceWarnings(ctx, row))];
  const items = [...faults.map(toItem), ...refused, ...unknown, ...warnings];
  const hasAudience = unknown.length === 0 && faults.every(({ field }) => field !== "audience");
  const canRun = source !== null && refused.length === 0 && hasAudience;
  const startedAt = ctx.now().toISOString();
  return {
    id: ctx.newId(),
    status: canRun ? "running" : "completed",
    page: 0,
    people: 0,
    checked: 0,
    after: null,
    until: null,
    isEveryone: false,
    source,
    steps: [],
    faults: [],
    mails: { total: 0, withLink: 0, hasAddress: true },
    urls: [],
    links: null,
    items,
    startedAt,
    finishedAt: canRun ? null : startedAt,
  };
}

const problem = (code: string, field: string, sentence: string): BroadcastCheckItem => ({
  code,
  level: "problem",
  sentence: sentence.charAt(0).toUpperCase() + sentence.slice(1),
  field,
});

/** `content.workflowId` is about the content. */
const toItem = ({ field, text }: DraftFault): BroadcastCheckItem => problem(field.split(".")[0]!, field, text);

async function refusals(
  ctx: Ctx,
  environmentId: string,
  { id, content }: BroadcastRow,
  source: CheckSource,
  now: Date,
): Promise<BroadcastCheckItem[]> {
  const dispatch = { broadcastId: id, content, source };
  const { accepted, result } = await evaluateBroadcast(ctx, environmentId, dispatch, now);
  if (accepted) return [];
  return (result.error ?? [result.status]).map((sentence) => problem("content", "content.payload", sentence));
}

/** Audiences may have been deleted since the draft was written. */
async function audienceProblems(
  { db }: Ctx,
  environmentId: string,
  { audience: { include, exclude = [] } }: BroadcastRow,
): Promise<BroadcastCheckItem[]> {
  const named = [...new Set([...include, ...exclude])];
  const known = new Set((await findAudiencesByKeys(db, environmentId, named)).map(({ audience_id }) => audience_id));
  return named
    .filter((audienceId) => !known.has(audienceId))
    .map((audienceId) => problem("audience", "audience", `The audience ${audienceId} does not exist`));
}

/** What code defines has its content there. */
const emptyMessages = (source: CheckSource | null): BroadcastCheckItem[] =>
  (source?.definition?.steps ?? [])
    .filter(({ type, active, controlSchema }) => active && isChannel(type) && controlSchema === undefined)
    .filter(({ controlValues: { body = null } }) => body === null || (typeof body === "string" && body.trim() === ""))
    .map(({ name }) => ({
      code: "empty",
      level: "warning",
      sentence: `The step ${name} has an empty body`,
      field: "content",
    }));

async function paceWarnings({ db }: Ctx, { environment_id, pace }: BroadcastRow): Promise<BroadcastCheckItem[]> {
  const named = Object.keys(pace.integrations ?? {});
  if (named.length === 0) return [];
  const rows = await listIntegrations(db, environment_id);
  const active = new Set(rows.filter((row) => row.active).map((row) => row.identifier));
  return named
    .filter((identifier) => !active.has(identifier))
    .map((identifier) => ({
      code: "pace",
      level: "warning",
      sentence: `The pace of the integration ${identifier} has no effect: it does not exist or is not active`,
      field: "pace.integrations",
    }));
}
