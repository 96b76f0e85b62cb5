// Rules of audiences that callers send: what is refused, and their queries with a bounded time.
import { audienceRuleLimits, conditionText, operationOf } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { graphFault, nodeOf } from "../../lib/audiences/graph.ts";
import { checkRule } from "../../lib/audiences/rule-check.ts";
import { describeKnown } from "../../lib/text/nearest.ts";
import { conditionOfRule } from "../../pipeline/audiences/condition.ts";
import { listAllAudiences } from "../../store/audiences/audience-files.ts";
import type { PeopleCondition } from "../../store/audiences/audience-members.ts";
import { planPeople } from "../../store/audiences/people.ts";
import { type Db, inTimedTransaction, isStatementTimeout } from "../../store/db.ts";
import { listWorkflowKeys } from "../../store/workflows/workflows.ts";

/** Refuses a rule that is wrong, with all that is wrong. `audienceId`: the audience that it is for. */
export async function refuseRule(
  { db }: Pick<Ctx, "db">,
  { environmentId }: Caller,
  { rule, audienceId }: { rule: unknown; audienceId?: string },
): Promise<void> {
  const { faults, needs } = checkRule(rule);
  if (faults.length === 0) {
    const rows = await listAllAudiences(db, environmentId);
    const own = audienceId ?? "";
    const nodes = new Map(rows.map((row) => [row.audience_id, nodeOf(row.rule)]));
    const fault = graphFault(nodes.set(own, nodeOf(rule)), own);
    if (fault !== null) faults.push(fault);
    const workflowIds = new Set(needs.preferences.flatMap(({ workflowId }) => workflowId ?? []));
    if (workflowIds.size > 0) {
      const known = await listWorkflowKeys(db, environmentId);
      for (const id of workflowIds)
        if (!known.includes(id))
          faults.push(`reads the preference for the unknown workflow ${id}${describeKnown(id, known.slice(0, 50))}`);
    }
  }
  if (faults.length > 0) throw invalid({ rule: { messages: faults.map((fault) => `rule ${fault}`), value: rule } });
}

type Asked = { rule: unknown; now: Date };

/**
 * Reads the people of a rule: a few such queries run at a time, and each ends in time. `db` is not a transaction that
 * writes.
 */
export async function readPeople<T>(
  ctx: Ctx,
  { environmentId }: Caller,
  { rule, now }: Asked,
  work: (db: Db, condition: PeopleCondition) => Promise<T>,
): Promise<T> {
  const release = await ctx.audienceReads.acquire(environmentId);
  try {
    const condition = await conditionOfRule(ctx.db, environmentId, rule, now);
    const ms = Math.min(audienceRuleLimits.milliseconds, ctx.config.reads.seconds * 1_000);
    return await inTimedTransaction(ctx.db, ms, (db) => work(db, condition));
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw failure("AUDIENCE_TOO_SLOW", { part: await findCostliest(ctx.db, environmentId, { rule, now }) });
  } finally {
    release();
  }
}

/** The people of a saved audience: its rule, or for a fixed one the question whether they are in it. */
export const ruleOf = ({ audience_id, rule }: { audience_id: string; rule: unknown }): unknown =>
  rule ?? { in: [audience_id, { var: "audiences" }] };

/** In words, the part of the rule that PostgreSQL expects to cost most. */
async function findCostliest(db: Db, environmentId: string, { rule, now }: Asked): Promise<string> {
  const { operator, args = [] } = operationOf(rule) ?? {};
  const parts = operator === "and" || operator === "or" ? args.slice(0, maxExplained) : [rule];
  let costliest = { part: parts[0], cost: -1 };
  for (const part of parts) {
    const condition = await conditionOfRule(db, environmentId, part, now);
    const plan = await planPeople(db, environmentId, condition);
    if (plan["Total Cost"] > costliest.cost) costliest = { part, cost: plan["Total Cost"] };
  }
  const text = conditionText(costliest.part);
  return parts.length > 1 ? `the costliest part is ${text}` : text;
}

const maxExplained = 20;
