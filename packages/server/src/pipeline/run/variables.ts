// The variables of environments as runs read them: `env.NAME` of templates and conditions. The version of an
// environment's variables comes with the integrations that a batch reads anyway, so a batch reads the variables
// themselves only after a change, and every process has it with its next batch.
import type { Ctx } from "../../context.ts";
import { isObject } from "../../lib/json.ts";
import { openText } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { findVariablesOfBatch } from "../../store/environments/variables.batch.ts";
import type { VariableRow, Variables } from "../../store/environments/variables.ts";
import type { StoredDetail, WorkflowDefinition } from "../../store/tables.ts";
import { maySeeSecrets } from "../requests/secret-controls.ts";
import { detail } from "../rules/details.ts";
import type { Run, StepInput } from "./run.ts";

export const noVariables: Variables = { plain: {}, sealed: {} };

export function toVariables(rows: readonly VariableRow[]): Variables {
  const entries = (isSecret: boolean) =>
    rows.filter((row) => row.is_secret === isSecret).map((row) => [row.key, row.value]);
  // Frozen: all templates of the environment share it.
  return { plain: Object.freeze(Object.fromEntries(entries(false))), sealed: Object.fromEntries(entries(true)) };
}

/**
 * All variables, for the URL, headers and body of an HTTP request and for nothing else: `secretValues` must be masked
 * wherever the request is stored or shown.
 */
export function openVariables(
  secrets: Secrets,
  { plain, sealed }: Variables,
): { env: Record<string, string>; secretValues: string[] } {
  const opened = Object.entries(sealed).map(([name, value]) => [name, openText(secrets, value)] as const);
  const secretValues = opened.map(([, value]) => value).filter((value) => value !== "");
  return { env: { ...plain, ...Object.fromEntries(opened) }, secretValues };
}

type Versioned = { environment_id: string; variables_version: number };

/**
 * By environment; those without variables are not in it. `integrations`: of the batch, with the versions of their
 * environments. Environments without an integration in the batch are read if one of their runs uses variables.
 */
export async function loadVariables(
  ctx: Ctx,
  runs: readonly Run[],
  integrations: readonly Versioned[],
): Promise<ReadonlyMap<string, Variables>> {
  const versions = new Map(integrations.map((row) => [row.environment_id, row.variables_version]));
  const found = new Map<string, Variables>();
  const missing = new Set<string>();
  for (const [environmentId, version] of versions) {
    if (version === 0) continue;
    const cached = ctx.variables.get(environmentId);
    if (cached?.version === version) found.set(environmentId, cached);
    else missing.add(environmentId);
  }
  for (const { environmentId, version } of runs)
    if (!versions.has(environmentId) && usesVariables(version.definition)) missing.add(environmentId);
  if (missing.size === 0) return found;
  const rows = Map.groupBy(await findVariablesOfBatch(ctx.db, [...missing]), (row) => row.environment_id);
  for (const environmentId of missing) {
    const own = rows.get(environmentId) ?? [];
    const variables = toVariables(own);
    found.set(environmentId, variables);
    const version = versions.get(environmentId);
    const bytes = own.reduce((sum, { key, value }) => sum + key.length + value.length, 1);
    if (version !== undefined) ctx.variables.set(environmentId, { ...variables, version, bytes });
  }
  return found;
}

const users = new WeakMap<WorkflowDefinition, boolean>();

function usesVariables(definition: WorkflowDefinition): boolean {
  const known = users.get(definition);
  if (known !== undefined) return known;
  // The code of a bridge gets all of them.
  const isUser = definition.isBridged === true || /\benv\b/.test(JSON.stringify(definition.steps));
  users.set(definition, isUser);
  return isUser;
}

const namesByControls = new WeakMap<object, string[]>();

/** Names below `env` in the controls of a step that may not see secrets. */
function namesIn(type: string, controlValues: object): string[] {
  const known = namesByControls.get(controlValues);
  if (known) return known;
  const open = Object.entries(controlValues).filter(([name]) => !maySeeSecrets(type, name));
  const uses = JSON.stringify(open).matchAll(/\benv(?:\.|\[\\*["'])([A-Za-z]\w*)/g);
  const names = [...new Set([...uses].map(([, name]) => name!))];
  namesByControls.set(controlValues, names);
  return names;
}

/** A secret in a template that may not see it is empty: the job says so. */
export function emptySecretDetails({ run, job, facts, now }: StepInput): StoredDetail[] {
  const sealed = facts.variables.get(run.environmentId)?.sealed;
  if (!sealed || Object.keys(sealed).length === 0 || !isObject(job.step.controlValues)) return [];
  const names = namesIn(job.step.type, job.step.controlValues).filter((name) => Object.hasOwn(sealed, name));
  if (names.length === 0) return [];
  const reason = `${names.map((name) => `env.${name}`).join(", ")} can be used only in HTTP requests`;
  return [detail("secret_left_empty", now, { raw: { reason } })];
}
