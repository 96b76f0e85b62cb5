// Who matches a condition that is not saved: evaluated for the newest subscribers.
import { audienceTestsIn, type Input, isJsonObject, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { conditionFault, evaluate } from "../../lib/conditions.ts";
import type { JsonObject } from "../../lib/json.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { withinBudget } from "../../lib/work.ts";
import { findMemberships } from "../../pipeline/audiences/memberships.ts";
import { evaluateSkip } from "../../pipeline/rules/conditions.ts";
import { subscriberScope } from "../../pipeline/rules/scope.ts";
import { listNewestSubscribers, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import { peekNow } from "../environments/clock.ts";
import { requireWorkflow } from "../workflows/workflows.ts";

const maxSampled = 200;
const maxShown = 5;

type Verdict = { row: RecipientRow; isMet: boolean; fault?: string };
type Body = Input<"subscribers.match">["body"];

export async function match(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"subscribers.match">,
): Promise<Output<"subscribers.match">> {
  const refused = conditionFault(body.condition);
  if (refused) throw invalid({ condition: { messages: [`condition ${refused}`], value: body.condition } });
  const workflow = await workflowOf(ctx, caller, body);
  const rows = await listNewestSubscribers(ctx.db, caller.environmentId, maxSampled);
  const roots = { payload: body.payload ?? {}, workflow, steps: {}, context: {}, actor: null, tenant: null };
  const memberships = await membershipsOf(ctx, caller, body, rows);
  const verdicts = await mapWithPauses(rows, (row): Verdict => {
    const audiences = memberships.get(row.id) ?? [];
    const decided = decide(body, { ...roots, subscriber: subscriberScope(row), audiences });
    return { row, ...decided };
  });
  const fault = verdicts.find((verdict) => verdict.fault !== undefined)?.fault;
  return {
    data: {
      sampled: rows.length,
      matched: verdicts.filter(({ isMet }) => isMet).length,
      failed: verdicts.filter((verdict) => verdict.fault !== undefined).length,
      ...(fault !== undefined && { fault }),
      matching: verdicts
        .filter(({ isMet }) => isMet)
        .slice(0, maxShown)
        .map(shown),
      others: verdicts
        .filter((verdict) => !verdict.isMet && verdict.fault === undefined)
        .slice(0, maxShown)
        .map(shown),
    },
  };
}

/** Only the conditions of steps test for audiences. */
async function membershipsOf(ctx: Ctx, caller: Caller, { condition, as }: Body, rows: RecipientRow[]) {
  const { audienceIds } = audienceTestsIn(condition);
  if (as !== "skip" || audienceIds.length === 0) return new Map<string, string[]>();
  const now = await peekNow(ctx, caller);
  const ids = rows.map(({ id }) => id);
  return findMemberships(ctx.db, caller.environmentId, ids, audienceIds, now);
}

async function workflowOf(ctx: Ctx, caller: Caller, { workflowId }: Body): Promise<JsonObject> {
  if (workflowId === undefined) return {};
  const { workflow_id, name, description, tags, severity } = await requireWorkflow(
    ctx,
    caller.environmentId,
    workflowId,
  );
  return { workflowId: workflow_id, name, description, tags, severity };
}

/** As the step or the subscription decides it. */
function decide({ condition, as = "condition" }: Body, scope: JsonObject): Omit<Verdict, "row"> {
  if (as === "skip") {
    const decision = withinBudget(() => evaluateSkip(condition, () => scope));
    return "fault" in decision ? { isMet: false, fault: decision.fault } : { isMet: decision.isSkipped };
  }
  try {
    const own = isJsonObject(scope.payload) ? scope.payload : {};
    return { isMet: evaluate(condition, { ...own, ...scope }) === true };
  } catch (error) {
    return { isMet: false, fault: error instanceof Error ? error.message.slice(0, 200) : "it cannot be evaluated" };
  }
}

const shown = ({ row }: Verdict) => ({
  subscriberId: row.subscriber_id,
  name: [row.first_name, row.last_name].filter(Boolean).join(" ") || row.subscriber_id,
});
