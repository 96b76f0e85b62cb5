// The alert rules of an environment. What they find is pipeline/alerts/; who is notified is alert-targets.ts.
import {
  type AlertKindName,
  type AlertRule,
  alertKinds,
  alertParameters,
  alertRulesPerEnvironment,
  type Input,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { openTargets, sealTargets, toTargetView } from "../../pipeline/alerts/targets.ts";
import {
  deleteAlertRule,
  findAlertRule,
  insertAlertRule,
  type ListedRule,
  listAlertRules,
  type NewAlertRule,
  updateAlertRule,
} from "../../store/alerts/alert-rules.ts";
import { closeAlertsOfRule } from "../../store/alerts/alerts.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { compileBody, faultsOf } from "../../validation.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { checkTargets, readTargets } from "./alert-targets.ts";

const toRule = ({ secrets }: Ctx, row: ListedRule): AlertRule => ({
  _id: row.id,
  name: row.name,
  kind: row.kind,
  parameters: row.parameters as AlertRule["parameters"],
  targets: openTargets(secrets, row.targets).map(toTargetView),
  quiet: row.quiet,
  repeatAfterMinutes: row.repeat_after_minutes,
  active: row.active,
  openAlerts: row.open_alerts,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export async function requireRule(
  ctx: Ctx,
  caller: Caller,
  ruleId: string,
  options: { lock?: boolean } = {},
): Promise<ListedRule> {
  const row = await findAlertRule(ctx.db, caller.environmentId, ruleId, options);
  if (!row) throw failure("ALERT_RULE_NOT_FOUND", { ruleId });
  return row;
}

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"alertRules.list">> {
  return (await listAlertRules(ctx.db, caller.environmentId)).map((row) => toRule(ctx, row));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"alertRules.retrieve">,
): Promise<Output<"alertRules.retrieve">> {
  return toRule(ctx, await requireRule(ctx, caller, params.ruleId));
}

export const checkNew = (ctx: NetworkCtx, caller: Caller, { body }: Input<"alertRules.create">): Promise<void> =>
  checkTargets(ctx, caller, body.targets);

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"alertRules.create">,
): Promise<Output<"alertRules.create">> {
  const { environmentId } = caller;
  await lockEnvironment(ctx.db, environmentId);
  if ((await listAlertRules(ctx.db, environmentId)).length >= alertRulesPerEnvironment) {
    throw failure("ALERT_RULE_LIMIT", { limit: String(alertRulesPerEnvironment) });
  }
  const now = ctx.now();
  const row: NewAlertRule = {
    environment_id: environmentId,
    id: ctx.newId(),
    name: body.name.trim(),
    kind: body.kind,
    parameters: body.parameters,
    targets: sealTargets(ctx.secrets, readTargets(body.targets ?? [], [])),
    quiet: body.quiet ?? null,
    repeat_after_minutes: body.repeatAfterMinutes ?? null,
    active: body.active ?? true,
    created_at: now,
    updated_at: now,
  };
  await refuseTakenName(row.name, () => insertAlertRule(ctx.db, row));
  return toRule(ctx, await requireRule(ctx, caller, row.id));
}

const refuseTakenName = <T>(name: string, write: () => Promise<T>): Promise<T> =>
  refuseDuplicate(write, failure("ALERT_RULE_NAME_TAKEN", { name }), "alert_rules_name");

export const checkChange = (ctx: NetworkCtx, caller: Caller, { body }: Input<"alertRules.update">): Promise<void> =>
  checkTargets(ctx, caller, body.targets);

const parameterChecks = new Map(alertKinds.map((kind) => [kind, compileBody(alertParameters[kind])]));

/** 422 when the parameters are not those of the kind; the schema of a change does not know the kind. */
function checkParameters(kind: AlertKindName, parameters: object): void {
  const check = parameterChecks.get(kind)!;
  if (!check(parameters)) throw invalid(faultsOf(check.errors ?? [], "parameters"));
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"alertRules.update">,
): Promise<Output<"alertRules.update">> {
  const { environmentId } = caller;
  const { open_alerts, ...row } = await requireRule(ctx, caller, params.ruleId, { lock: true });
  if (body.parameters) checkParameters(row.kind, body.parameters);
  const stored = openTargets(ctx.secrets, row.targets);
  const now = ctx.now();
  const next: NewAlertRule = {
    ...row,
    name: body.name?.trim() ?? row.name,
    parameters: body.parameters ?? row.parameters,
    targets: body.targets ? sealTargets(ctx.secrets, readTargets(body.targets, stored)) : row.targets,
    quiet: body.quiet === undefined ? row.quiet : body.quiet,
    repeat_after_minutes: body.repeatAfterMinutes === undefined ? row.repeat_after_minutes : body.repeatAfterMinutes,
    active: body.active ?? row.active,
    updated_at: now,
  };
  await refuseTakenName(next.name, () => updateAlertRule(ctx.db, environmentId, next));
  if (!next.active) await closeAlertsOfRule(ctx.db, environmentId, { ruleId: row.id, ending: "rule_paused", now });
  return toRule(ctx, await requireRule(ctx, caller, row.id));
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"alertRules.delete">,
): Promise<Output<"alertRules.delete">> {
  const { environmentId } = caller;
  const { id: ruleId } = await requireRule(ctx, caller, params.ruleId, { lock: true });
  await deleteAlertRule(ctx.db, environmentId, ruleId);
  await closeAlertsOfRule(ctx.db, environmentId, { ruleId, ending: "rule_deleted", now: ctx.now() });
}
