// A workflow that sends far more than it usually does at this time: a loop, or a list of recipients that is too long.
// If its rule says so, it is turned off when the alert opens. Only then: whoever turns it on again decides.
import type { AlertParametersOf } from "@tidings/contract";
import type { Ctx } from "../../../context.ts";
import { insertAuditEntries } from "../../../store/members/audit-log.ts";
import type { Target } from "../../../store/workflows/objectives.ts";
import { pauseWorkflows } from "../../../store/workflows/pause.batch.ts";
import {
  type CountedVolume,
  countLatestMessages,
  countMessagesBetween,
  countMessagesOfHours,
  type Volume,
  type Window,
} from "../../../store/workflows/volumes.batch.ts";
import { comparedHours, historyMs, newForMs, settledMs, tooMany, usualHour } from "../../rules/runaway.ts";
import type { ActiveRule, AlertKind, Finding } from "../kind.ts";

type Rule = ActiveRule<"workflow_runaway">;

const minuteMs = 60_000;
/** Messages of an environment that are read in a window, the newest. */
const maxMessages = 250_000;

const defaults = { withinMinutes: 30, factor: 10, atLeast: 1_000, atLeastWhenNew: 10_000, pause: false };
const limitsOf = (parameters: AlertParametersOf<"workflow_runaway">) => ({ ...defaults, ...parameters });

const keyOf = (environmentId: string, minutes: number): string => `${environmentId} ${minutes}`;

/** Rules of an environment with the same stretch of time share what is read. */
function windowsOf(rules: Rule[], now: Date): Map<string, Window> {
  const windows = new Map<string, Window>();
  for (const { environmentId, parameters } of rules) {
    const { withinMinutes, atLeast, atLeastWhenNew } = limitsOf(parameters);
    const key = keyOf(environmentId, withinMinutes);
    const lowest = Math.min(atLeast, atLeastWhenNew, windows.get(key)?.at_least ?? Number.POSITIVE_INFINITY);
    const since = new Date(now.getTime() - withinMinutes * minuteMs);
    windows.set(key, { environment_id: environmentId, since, at_least: lowest });
  }
  return windows;
}

type Suspect = { rule: Rule; volume: Volume };

/** Counted hours of workflows, by workflow and hour. */
const byWorkflow = (rows: CountedVolume[]) => Map.groupBy(rows, ({ workflow_id }) => workflow_id);
const targetsOf = (suspects: Suspect[]): Target[] => {
  const volumes = new Map(suspects.map(({ volume }) => [volume.workflow_id, volume]));
  return [...volumes.values()].map(({ environment_id, workflow_id }) => ({ environment_id, workflow_id }));
};

export const workflowRunaway: AlertKind<"workflow_runaway"> = {
  async find(ctx, rules, now) {
    const volumes = await countLatestMessages(ctx.db, [...windowsOf(rules, now).values()], maxMessages);
    const suspects = rules.flatMap((rule) => {
      const { withinMinutes, workflowIds } = limitsOf(rule.parameters);
      const since = now.getTime() - withinMinutes * minuteMs;
      return volumes
        .filter((one) => one.environment_id === rule.environmentId && one.since.getTime() === since)
        .filter(({ identifier }) => workflowIds?.includes(identifier) ?? true)
        .map((volume): Suspect => ({ rule, volume }));
    });
    return suspects.length === 0 ? [] : compare(ctx, suspects, now);
  },

  async onOpen(ctx, opened, rules) {
    const pausing = new Map(rules.filter(({ parameters }) => parameters.pause).map((rule) => [rule.id, rule]));
    const pauses = opened.flatMap(({ ruleId, subject, facts }) => {
      const rule = pausing.get(ruleId);
      if (!rule) return [];
      const summary = `Turned off by the runaway guard: ${facts.count} messages within ${facts.minutes} minutes`;
      return [{ environment_id: rule.environmentId, workflow_id: subject.id, version_id: ctx.newId(), summary }];
    });
    const once = [...new Map(pauses.map((pause) => [pause.workflow_id, pause])).values()];
    const paused = await pauseWorkflows(ctx.db, once, ctx.now());
    await insertAuditEntries(
      ctx.db,
      paused.map((one) => ({
        ...{ id: ctx.newId(), organization_id: one.organization_id, environment_id: one.environment_id },
        ...{ created_at: ctx.now(), user_id: null, api_key_id: null, actor: "Runaway guard" },
        ...{ operation: "workflows.patch", target: one.identifier, target_name: one.name },
        ...{ before: { active: true }, after: { active: false } },
        ...{ address: null, user_agent: null, subscriber_id: null },
      })),
    );
    const ids = new Set(paused.map((one) => one.workflow_id));
    return opened.map((finding) =>
      ids.has(finding.subject.id) ? { ...finding, facts: { ...finding.facts, state: "paused" } } : finding,
    );
  },
};

/** First with the few hours that are at this time; only what is too much then is compared with the whole history. */
async function compare(ctx: Ctx, suspects: Suspect[], now: Date): Promise<Finding[]> {
  const comparedOf = (rule: Rule) => comparedHours(now, limitsOf(rule.parameters).withinMinutes * minuteMs);
  const times = suspects.flatMap(({ rule }) => {
    const { weekly, daily } = comparedOf(rule);
    return [...weekly, ...daily.flat()].map((hour) => hour.getTime());
  });
  const hours = [...new Set(times)].map((time) => new Date(time));
  const counted = byWorkflow(await countMessagesOfHours(ctx.db, targetsOf(suspects), hours));
  const usualOf = ({ rule, volume }: Suspect, older: CountedVolume[]) => {
    const own = new Map((counted.get(volume.workflow_id) ?? []).map((one) => [one.hour.getTime(), one.count]));
    return usualHour(comparedOf(rule), (hour) => own.get(hour.getTime()) ?? 0, older);
  };
  const isTooMuch = ({ rule, volume }: Suspect, usual: number, isKnown: boolean) =>
    volume.count >= tooMany(usual, isKnown, limitsOf(rule.parameters));
  const likely = suspects.filter((one) => {
    const usual = usualOf(one, []);
    return isTooMuch(one, usual, true) || isTooMuch(one, usual, false);
  });
  if (likely.length === 0) return [];
  const range = { from: new Date(now.getTime() - historyMs), to: new Date(now.getTime() - settledMs) };
  const history = byWorkflow(await countMessagesBetween(ctx.db, targetsOf(likely), range));
  return likely.flatMap((suspect): Finding[] => {
    const { rule, volume } = suspect;
    const older = history.get(volume.workflow_id) ?? [];
    const usual = usualOf(suspect, older);
    const isKnown = older.some(({ hour }) => hour.getTime() < now.getTime() - newForMs);
    if (!isTooMuch(suspect, usual, isKnown)) return [];
    const facts = {
      count: volume.count,
      minutes: limitsOf(rule.parameters).withinMinutes,
      usual: Math.round(usual),
      state: volume.active ? "active" : "off",
    };
    const subject = { type: "workflow", id: volume.workflow_id, name: volume.name } as const;
    return [{ ruleId: rule.id, subject, code: usual > 0 ? "unusual" : "new", facts }];
  });
}
