// One pass over the alert rules of the installation: finds what is wrong now, opens, updates and ends alerts, and
// writes the messages about them, in one transaction. The number of queries depends on the kinds of rules, not on the
// rules or environments.
import type { AlertKindName } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import {
  type AlertChange,
  applyAlertChanges,
  listActiveRules,
  lockUnsettledAlerts,
  type SeenAlert,
  saveSeenAlerts,
  type WatchedRule,
} from "../../store/alerts/alerts.batch.ts";
import type { AlertRow } from "../../store/alerts/alerts.ts";
import { transact } from "../batch.ts";
import { decide } from "./decide.ts";
import type { ActiveRule, AlertKind, Finding } from "./kind.ts";
import { enqueueAlertMessages, groupByTarget, type Told } from "./notices.ts";
import { kindsByName } from "./registry.ts";
import { openTargets } from "./targets.ts";

/** Alerts that one pass works on; the next pass takes the rest once these are settled. */
const maxAlerts = 10_000;

type AnyKind = AlertKind<never>;

const toActiveRule = (row: WatchedRule): ActiveRule => ({
  id: row.id,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  kind: row.kind,
  parameters: row.parameters as ActiveRule["parameters"],
});

type Found = { kind: AlertKindName; rules: ActiveRule[]; findings: Finding[] };

/** What the rules of each kind find. A kind that fails is left out: its alerts stay unchanged. */
async function findAll(ctx: Ctx, watched: WatchedRule[], now: Date): Promise<Found[]> {
  const found: Found[] = [];
  for (const [kind, rows] of Map.groupBy(watched, (row) => row.kind)) {
    const definition = kindsByName[kind] as AnyKind | undefined;
    if (!definition) continue;
    const rules = rows.map(toActiveRule);
    try {
      found.push({ kind, rules, findings: await definition.find(ctx, rules as never, now) });
    } catch (error) {
      ctx.log.error({ err: error, kind }, "alert rules could not be evaluated");
    }
  }
  return found;
}

const nameOf = (ruleId: string, subject: { type: string; id: string }): string =>
  `${ruleId} ${subject.type} ${subject.id}`;

const nameOfAlert = (row: AlertRow): string => nameOf(row.rule_id, { type: row.subject_type, id: row.subject_id });

/** New findings are passed to their kind, which may act on them. */
async function openNew(tx: Ctx, found: Found, openNames: Set<string>): Promise<Finding[]> {
  const { kind, rules, findings } = found;
  const { onOpen } = kindsByName[kind] as AnyKind;
  const { fresh = [], known = [] } = Object.groupBy(findings, ({ ruleId, subject }) =>
    openNames.has(nameOf(ruleId, subject)) ? "known" : "fresh",
  );
  const opened = onOpen && fresh.length > 0 ? await onOpen(tx, fresh, rules as never) : fresh;
  return [...known, ...opened];
}

const toSeen = (ctx: Ctx, rule: WatchedRule, { subject, code, facts }: Finding): SeenAlert => ({
  environment_id: rule.environment_id,
  id: ctx.newId(),
  rule_id: rule.id,
  rule_name: rule.name,
  kind: rule.kind,
  code,
  subject_type: subject.type,
  subject_id: subject.id,
  subject_name: subject.name,
  facts,
});

/** The same subject may be found once for a rule: a statement cannot write a row twice. */
function onlyOnce(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [nameOf(one.ruleId, one.subject), one])).values()];
}

/** Runs in the transaction that also finishes the task of the pass. */
async function settle(tx: Ctx, watched: WatchedRule[], found: Found[], now: Date): Promise<void> {
  const rules = new Map(watched.map((row) => [row.id, row]));
  const unsettled = await lockUnsettledAlerts(tx.db, maxAlerts);
  const openNames = new Set(unsettled.filter(({ status }) => status === "open").map(nameOfAlert));
  const seen: SeenAlert[] = [];
  for (const one of found) {
    const findings = onlyOnce(await openNew(tx, one, openNames));
    seen.push(...findings.map((finding) => toSeen(tx, rules.get(finding.ruleId)!, finding)));
  }
  const saved = await saveSeenAlerts(tx.db, seen, now);
  const current = new Map([...unsettled, ...saved].map((row) => [row.id, row]));
  const checked = new Set(found.map(({ kind }) => kind));
  const changes: AlertChange[] = [];
  const told: Told[] = [];
  for (const alert of current.values()) {
    const rule = rules.get(alert.rule_id);
    const state = {
      isOpen: alert.status === "open",
      lastSeenAt: alert.last_seen_at,
      acknowledgedAt: alert.acknowledged_at,
      toldAt: alert.told_at,
    };
    const times = rule ? { quiet: rule.quiet, repeatAfterMinutes: rule.repeat_after_minutes } : null;
    const { ending, notice, isClosed } = decide(state, times, checked.has(alert.kind), now);
    if (!ending && !notice && !isClosed) continue;
    const { environment_id, id } = alert;
    changes.push({ environment_id, id, ending: ending ?? null, is_told: notice !== undefined, is_closed: !!isClosed });
    const ended = ending ? { ...alert, resolved_at: now } : alert;
    if (rule && notice) told.push({ alert: ended, notice, targets: openTargets(tx.secrets, rule.targets) });
  }
  await applyAlertChanges(tx.db, changes, now);
  const at = now.toISOString();
  await enqueueAlertMessages(
    tx,
    groupByTarget(told).map(({ notices, ...message }) => ({ ...message, content: { at, notices }, isFallback: false })),
  );
}

/** `finish`: what else belongs to the transaction. `now`: the moment that the pass evaluates. */
export async function runPass(ctx: Ctx, now: Date, finish: (tx: Ctx) => Promise<void>): Promise<void> {
  const watched = await listActiveRules(ctx.db);
  const found = await findAll(ctx, watched, now);
  await transact(ctx, async (tx) => {
    await settle(tx, watched, found, now);
    await finish(tx);
  });
}
