// The alert rules of a new environment, so that nobody has to set them up before they are needed. The dashboard shows
// what they find. In production the owners get it by email as well; in development nobody is disturbed.
// Older environments get later additions from app/environments/environment-catch-up.ts.
import type { KindWithParameters } from "@tidings/contract";
import { sealTargets } from "../../pipeline/alerts/targets.ts";
import { insertMissingRules, type NewAlertRule } from "../../store/alerts/alert-rules.ts";
import type { SetupTools } from "../environments/environment-setup.ts";

type DefaultRule = KindWithParameters & { name: string; isForProduction?: true };

/** Limits that normal traffic does not reach, with single failures, retries and short pauses of a provider. */
export const defaultRules: readonly DefaultRule[] = [
  { name: "An integration fails", kind: "integration_failing", parameters: { forSeconds: 60 } },
  { name: "Dead letters", kind: "dead_letters", parameters: { moreThan: 10, withinMinutes: 60 } },
  { name: "Tasks wait", kind: "queue_age", parameters: { seconds: 300 } },
  { name: "A webhook fails", kind: "webhook_failing", parameters: { forMinutes: 15 } },
  { name: "A source fails", kind: "source_failing", parameters: { forMinutes: 5 } },
  { name: "An objective is missed", kind: "workflow_objective", parameters: {} },
  // It turns nothing off, and does not take the first newsletter of a new workflow for a loop.
  {
    name: "A workflow runs away",
    kind: "workflow_runaway",
    parameters: { atLeastWhenNew: 100_000 },
    isForProduction: true,
  },
  // It watches the whole installation, so one is enough.
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

/** The rules of this kind of environment, as rows. */
export const rowsOfRules = (tools: Tools, environment: Environment, rules: readonly DefaultRule[]): NewAlertRule[] =>
  rules
    .filter(({ isForProduction }) => !isForProduction || environment.type === "prod")
    .map((rule) => toRow(tools, environment, rule));

export async function addDefaultAlertRules(tools: Tools, environment: Environment): Promise<void> {
  await insertMissingRules(tools.db, rowsOfRules(tools, environment, defaultRules));
}
