// The people of audiences: a preview of a rule with its cost, counts and lists.
import { type AudiencePerson, conditionText, type Input, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { checkRule } from "../../lib/audiences/rule-check.ts";
import { isUuid } from "../../lib/ids.ts";
import { countEveryone, countPeople, listMatching, type PersonRow, planPeople } from "../../store/audiences/people.ts";
import type { Db } from "../../store/db.ts";
import { findTopicsByKeys } from "../../store/topics/topics.ts";
import { peekNow } from "../environments/clock.ts";
import { costOf } from "./audience-cost.ts";
import { readPeople, refuseRule, ruleOf } from "./audience-rules.ts";
import { requireAudience } from "./audiences.ts";

const sampleSize = 10;

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { body: { rule, audienceId } }: Input<"audiences.preview">,
): Promise<Output<"audiences.preview">> {
  await refuseRule(ctx, caller, { rule, audienceId });
  const { environmentId } = caller;
  const everyone = await countEveryone(ctx.db, environmentId);
  const now = await peekNow(ctx, caller);
  const { count, sample, plan } = await readPeople(ctx, caller, { rule, now }, async (db, condition) => ({
    plan: await planPeople(db, environmentId, condition),
    count: await countPeople(db, environmentId, condition),
    sample: await listMatching(db, environmentId, condition, { after: null, limit: sampleSize }),
  }));
  const warnings: string[] = [];
  if (count.people === 0) warnings.push("The rule matches no subscriber.");
  else if (count.people >= everyone) warnings.push("The rule matches every subscriber.");
  warnings.push(...(await missingTopics(ctx.db, environmentId, rule)));
  const cost = costOf(plan, everyone);
  return { count, everyone, sentence: conditionText(rule), cost, warnings, sample: sample.map(toPerson) };
}

/** A topic may be created later, with its first subscription. */
async function missingTopics(db: Db, environmentId: string, rule: unknown): Promise<string[]> {
  const keys = [...checkRule(rule).needs.topicKeys];
  const known = new Set((await findTopicsByKeys(db, environmentId, keys)).map(({ key }) => key));
  return keys.filter((key) => !known.has(key)).map((key) => `The topic ${key} does not exist.`);
}

export async function count(
  ctx: Ctx,
  caller: Caller,
  { params: { audienceId } }: Input<"audiences.count">,
): Promise<Output<"audiences.count">> {
  const rule = ruleOf(await requireAudience(ctx, caller, audienceId));
  const now = await peekNow(ctx, caller);
  return readPeople(ctx, caller, { rule, now }, (db, condition) => countPeople(db, caller.environmentId, condition));
}

export async function listPeople(
  ctx: Ctx,
  caller: Caller,
  { params: { audienceId }, query: { after, limit = 20 } }: Input<"audiences.listPeople">,
): Promise<Output<"audiences.listPeople">> {
  if (after !== undefined && !isUuid(after))
    throw invalid({ after: { messages: ["after must be `next` of the page before"], value: after } });
  const rule = ruleOf(await requireAudience(ctx, caller, audienceId));
  const now = await peekNow(ctx, caller);
  const page = { after: after ?? null, limit: limit + 1 };
  const rows = await readPeople(ctx, caller, { rule, now }, (db, condition) =>
    listMatching(db, caller.environmentId, condition, page),
  );
  const shown = rows.slice(0, limit);
  return { data: shown.map(toPerson), next: rows.length > limit ? shown.at(-1)!.id : null };
}

const toPerson = (row: PersonRow): AudiencePerson => ({
  subscriberId: row.subscriber_id,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  locale: row.locale,
  timezone: row.timezone,
});
