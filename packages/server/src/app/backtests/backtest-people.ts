// The people of a backtest, and one of them with both versions side by side. The messages of a person are stored
// nowhere: the person is replayed again.
import type { BacktestMessage, BacktestVersion, backtestEffects, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { type Compared, compareRun } from "../../pipeline/backtests/compare.ts";
import { channelOf, isSent, type MessageOutcome, outcomesOf } from "../../pipeline/backtests/outcomes.ts";
import { replayPeople } from "../../pipeline/backtests/page.ts";
import type { ReplayedRun } from "../../pipeline/backtests/state.ts";
import type { ReplayedPerson } from "../../pipeline/backtests/tally.ts";
import { describeStep } from "../../pipeline/rules/step-outcome-text.ts";
import { findBacktest, type ListedPerson, listDifferingPeople } from "../../store/backtests/backtests.ts";
import { findPersonOfPeriod } from "../../store/backtests/histories.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import { findIntegrationsByIds } from "../../store/integrations/integrations.ts";
import { toExplainedMessage } from "../events/explain-view.ts";
import { refuseTestClock, requireBacktest } from "./backtests.ts";

/** Messages of one person, whose contents are limited by those of explanations. */
const maxMessages = 200;

export async function people(
  ctx: Ctx,
  { environmentId }: Caller,
  { params, query }: Input<"backtests.people">,
): Promise<Output<"backtests.people">> {
  const { effect, workflowId, after = null, limit = 20 } = query;
  if (after !== null && !isUuid(after)) {
    throw invalid({ after: { messages: ["after must be `next` of the page before"], value: after } });
  }
  const row = await requireBacktest(ctx, environmentId, params.backtestId);
  const filter = { effect, workflowId, after, limit: limit + 1 };
  const found = await listDifferingPeople(ctx.db, environmentId, row.id, filter);
  const page = found.slice(0, limit);
  const differing = Object.values(row.report?.totals.effects ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    data: page.map(toPerson),
    next: found.length > limit ? page.at(-1)!.id : null,
    isCapped: differing > row.differences,
  };
}

const nameOf = ({ first_name, last_name }: Pick<ListedPerson, "first_name" | "last_name">): string | null =>
  [first_name, last_name].filter(Boolean).join(" ") || null;

const toPerson = (row: ListedPerson) => ({
  subscriberId: row.subscriber_id,
  name: nameOf(row),
  effects: row.effects,
  workflowIds: row.workflow_ids,
  before: row.before,
  after: row.after,
});

export async function person(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"backtests.person">,
): Promise<Output<"backtests.person">> {
  const { environmentId } = caller;
  const { backtestId, subscriberId } = params;
  await refuseTestClock(ctx, caller);
  const row = await findBacktest(ctx.db, environmentId, backtestId);
  if (!row) throw failure("BACKTEST_NOT_FOUND", { backtestId });
  const found = await findPersonOfPeriod(ctx.db, environmentId, subscriberId.trim());
  if (!found) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  const period = { from: row.period_from.getTime(), to: row.period_to.getTime() };
  const pairs: Pair[] = [];
  await inReadOnlyTransaction(ctx.db, (db) =>
    replayPeople({ ...ctx, db }, environmentId, { people: [found], period, change: row.change }, (one) => {
      pairs.push(...pairsOf(one));
    }),
  );
  const wanted = pairs.filter(({ compared }) => compared.effect !== null || query.all === true);
  const shown = wanted.sort(byEffect).slice(0, maxMessages);
  const used = shown.flatMap(({ compared: { before, after } }) => [before, after].flatMap(integrationsOf));
  const integrations = await findIntegrationsByIds(ctx.db, environmentId, [...new Set(used)]);
  const identifiers = new Map(integrations.map((one) => [one.id, one.identifier]));
  return {
    subscriberId: found.subscriber_id,
    name: nameOf(found),
    messages: shown.map((pair) => toMessage(pair, identifiers)),
    isTruncated: wanted.length > maxMessages,
  };
}

/** `run`: the unchanged one, or one that only the change has. */
type Pair = { run: ReplayedRun["run"]; compared: Compared };

function pairsOf({ before, after, concerned }: ReplayedPerson): Pair[] {
  const ids = [...new Set([...before.runs.keys(), ...(after?.runs.keys() ?? [])])];
  return ids.flatMap((id) => {
    const was = before.runs.get(id);
    const isConcerned = after !== null && (concerned === null || concerned.has(id) || !was);
    const is = isConcerned ? after.runs.get(id) : was;
    const either = (was ?? is)!;
    if (either.isLead) return [];
    const none = new Map<string, MessageOutcome>();
    const compared = compareRun(was ? outcomesOf(was) : none, is ? outcomesOf(is) : none);
    return compared.map((pair) => ({ run: either.run, compared: pair }));
  });
}

/** Those that differ first, then in the order of time. */
function byEffect(a: Pair, b: Pair): number {
  const isSame = (pair: Pair) => Number(pair.compared.effect === null);
  return isSame(a) - isSame(b) || a.run.event.createdAt.getTime() - b.run.event.createdAt.getTime();
}

const integrationsOf = (one: MessageOutcome | undefined): string[] =>
  one?.messages.flatMap(({ integrationId }) => integrationId ?? []) ?? [];

const effectSentences: Record<(typeof backtestEffects)[number], string> = {
  removed: "It would not be sent",
  added: "It would be sent, and was not",
  render_failed: "Its template would fail",
  digested: "It would be digested with other events",
  channel: "It would use another channel",
  provider: "It would use another integration",
  earlier: "It would be sent earlier",
  later: "It would be sent later",
  content: "Its content would differ",
};

function toMessage({ run, compared }: Pair, identifiers: ReadonlyMap<string, string>): BacktestMessage {
  const { before, after, effect, stepId } = compared;
  const { step } = (before ?? after)!;
  const version = (one: MessageOutcome | undefined) => (one ? toVersion(run, one, identifiers) : null);
  return {
    transactionId: run.event.transactionId,
    notificationId: run.notificationId,
    time: run.event.createdAt.toISOString(),
    workflowId: run.version.definition.workflowId,
    ...{ stepId, stepName: step.name, stepType: step.type, effect },
    sentence: effect === null ? "No difference" : effectSentences[effect],
    before: version(before),
    after: version(after),
  };
}

function toVersion(
  run: ReplayedRun["run"],
  one: MessageOutcome,
  identifiers: ReadonlyMap<string, string>,
): BacktestVersion {
  const { job, outcome, at, messages, eventCount } = one;
  const described = { ...job, details: job.newDetails };
  const settings = { tense: "dry-run" as const, workflow: run.version.definition.workflowId };
  const [first] = messages;
  const shown = first && toExplainedMessage(first, identifiers);
  return {
    outcome,
    reason: describeStep(described, settings, { next: [] }).reason,
    at: at === null ? null : new Date(at).toISOString(),
    channel: isSent(one) ? channelOf(one) : null,
    integrations: integrationsOf(one).flatMap((id) => identifiers.get(id) ?? []),
    events: eventCount,
    content: shown ? contentOf(shown) : null,
  };
}

const contentOf = ({ subject, content, cta, address }: ReturnType<typeof toExplainedMessage>) => ({
  ...{ subject: subject ?? null, body: content ?? null, cta: cta ?? null, address: address ?? null },
});
