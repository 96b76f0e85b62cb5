// The alert rules of a new environment, so that nobody has to set them up before they are needed. The dashboard shows
// what they find. In production the owners get it by email as well; in development nobody is disturbed.
// Environments that are older than a rule get it at the first start of a version that has it, once: a rule that was
// deleted stays deleted.
import type { KindWithParameters } from "@tidings/contract";
import { sealTargets } from "../../pipeline/alerts/targets.ts";
import { insertMissingRules, type NewAlertRule } from "../../store/alerts/alert-rules.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import {
  holdEnvironmentsAfter,
  lockInstallation,
  readInstallationValue,
  writeInstallationValue,
} from "../../store/installation/installation.ts";
import type { SetupTools } from "../environments/environment-setup.ts";

type DefaultRule = KindWithParameters & { name: string; isForProduction?: true };

/** Limits that normal traffic does not reach, with single failures, retries and short pauses of a provider. */
export const defaultRules: readonly DefaultRule[] = [
  { name: "An integration fails", kind: "integration_failing", parameters: { forSeconds: 60 } },
  { name: "Dead letters", kind: "dead_letters", parameters: { moreThan: 10, withinMinutes: 60 } },
  { name: "Tasks wait", kind: "queue_age", parameters: { seconds: 300 } },
  { name: "A webhook fails", kind: "webhook_failing", parameters: { forMinutes: 15 } },
  { name: "An objective is missed", kind: "workflow_objective", parameters: {} },
  // It turns nothing off, and does not take the first newsletter of a new workflow for a loop.
  {
    name: "A workflow runs away",
    kind: "workflow_runaway",
    parameters: { atLeastWhenNew: 100_000 },
    isForProduction: true,
  },
  // Of the whole installation: once is enough.
  { name: "Storage", kind: "storage", parameters: { freeMegabytes: 1_024 }, isForProduction: true },
];

const dailyMinutes = 24 * 60;

type Tools = Pick<SetupTools, "db" | "secrets" | "now" | "newId">;
type Environment = { id: string; type: "dev" | "prod" };

const toRow = ({ secrets, now, newId }: Tools, { id, type }: Environment, rule: DefaultRule): NewAlertRule => ({
  environment_id: id,
  id: newId(),
  name: rule.name,
  kind: rule.kind,
  parameters: rule.parameters,
  targets: sealTargets(secrets, type === "prod" ? [{ type: "owners" }] : []),
  quiet: null,
  repeat_after_minutes: type === "prod" ? dailyMinutes : null,
  active: true,
  created_at: now(),
  updated_at: now(),
});

const rowsFor = (tools: Tools, environment: Environment, rules: readonly DefaultRule[]): NewAlertRule[] =>
  rules
    .filter(({ isForProduction }) => !isForProduction || environment.type === "prod")
    .map((rule) => toRow(tools, environment, rule));

export async function addDefaultAlertRules(tools: Tools, environment: Environment): Promise<void> {
  await insertMissingRules(tools.db, rowsFor(tools, environment, defaultRules));
}

const addedKey = "default_alert_rules";
const pageSize = 100;
const firstId = "00000000-0000-0000-0000-000000000000";

/** Adds the rules that earlier versions did not have to all environments. Processes that start together take turns. */
export async function catchUpAlertRules(tools: Tools): Promise<void> {
  await inRepeatableTransaction(tools.db, async (tx) => {
    await lockInstallation(tx);
    const added = new Set((await readInstallationValue(tx, addedKey))?.split(",") ?? []);
    const missing = defaultRules.filter(({ kind }) => !added.has(kind));
    if (missing.length === 0) return;
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const environments: Environment[] = await holdEnvironmentsAfter(tx, after, pageSize);
      const rows = environments.flatMap((environment) => rowsFor(tools, environment, missing));
      await insertMissingRules(tx, rows);
      after = environments.at(-1)?.id;
    }
    await writeInstallationValue(tx, addedKey, defaultRules.map(({ kind }) => kind).join(","));
  });
}
