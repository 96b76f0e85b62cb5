// Why a subscriber is in an audience, or why not: the parts of the rule that decide, evaluated by the interpreter.
import {
  type AudienceExplanation,
  audienceRuleLimits,
  conditionText,
  decidingParts,
  type Input,
  type Output,
  operationOf,
  valueText,
  variablePaths,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { membershipOf } from "../../lib/audiences/rule-check.ts";
import { type AudienceFacts, holds, loadAudienceFacts } from "../../pipeline/audiences/facts.ts";
import { resolveAudiences } from "../../pipeline/audiences/resolve.ts";
import { valuesAt } from "../../pipeline/rules/conditions.ts";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import { environmentNow } from "../environments/clock.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import { ruleOf } from "./audience-rules.ts";
import { requireAudience } from "./audiences.ts";

type Reason = AudienceExplanation["reasons"][number];
type Known = { facts: AudienceFacts; audiences: ReadonlyMap<string, AudienceRow> };

const maxReasons = 20;

export async function explain(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"audiences.explain">,
): Promise<Output<"audiences.explain">> {
  const { environmentId } = caller;
  const audience = await requireAudience(ctx, caller, params.audienceId);
  const subscriber = await requireSubscriber(ctx, caller, params.subscriberId);
  const audiences = await resolveAudiences(ctx.db, environmentId, [audience.audience_id]);
  const rule = ruleOf(audience);
  const now = await environmentNow(ctx, caller);
  const asked = { subscriberRowIds: [subscriber.id], rule, audiences, now };
  const facts = (await loadAudienceFacts(ctx.db, environmentId, asked)).get(subscriber.id)!;
  const isMember = holds(rule, facts);
  const name = [subscriber.first_name, subscriber.last_name].filter(Boolean).join(" ") || subscriber.subscriber_id;
  const reasons = reasonsOf(rule, { facts, audiences }, 0).slice(0, maxReasons);
  return {
    subscriberId: subscriber.subscriber_id,
    isMember,
    sentence: sentenceOf({ name, isMember, isFixed: audience.rule === null, reasons }),
    reasons,
  };
}

function sentenceOf(given: { name: string; isMember: boolean; isFixed: boolean; reasons: Reason[] }): string {
  const { name, isMember, isFixed, reasons } = given;
  if (isFixed) return `${name} is ${isMember ? "" : "not "}on the list.`;
  const texts = reasons.slice(0, 5).map(({ text, value }) => (isMember ? text : `${text}${foundText(value)}`));
  return `${name} is ${isMember ? "" : "not "}in the audience, because ${texts.join(" and ")}.`;
}

const foundText = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? "" : ` (found: ${valueText(value)})`;

/** Each reason says what is the case: the opposite of a part that does not hold. */
function reasonsOf(rule: unknown, known: Known, level: number): Reason[] {
  const { facts, audiences } = known;
  const parts = decidingParts(rule, (part) => holds(part, facts)) ?? [rule];
  return parts.flatMap((part) => {
    const isTrue = holds(part, facts);
    const reason = { text: conditionText(isTrue ? part : { "!": [part] }), holds: isTrue, ...valueIn(part, facts) };
    const { operator = "", args = [] } = operationOf(part) ?? {};
    const asked = membershipOf(operator, args);
    const other = asked?.root === "audiences" ? audiences.get(asked.key) : undefined;
    if (!other?.rule || level >= audienceRuleLimits.depth) return [reason];
    const inner = reasonsOf(other.rule, known, level + 1);
    return [reason, ...inner.map((each) => ({ ...each, text: `${other.audience_id}: ${each.text}` }))];
  });
}

/** What the part has found: the value of its only field, or all of them by their names. */
function valueIn(part: unknown, facts: AudienceFacts): { value?: unknown } {
  const paths = [...new Set(variablePaths(part))];
  const values = valuesAt(paths, facts);
  if (paths.length === 0) return {};
  return { value: paths.length === 1 ? values[paths[0]!] : values };
}
