// Workflows as files: the configuration of an environment is exported, compared with what files say (plan), and put in
// place (apply). Plan and apply run the same comparison; apply runs it under the locks of its transaction, and refuses
// when the environment is not the one that was planned for.
import { type CategoryFile, type FilesPlan, type Input, maxInFlightChecked, type Output } from "@tidings/contract";
import { validateCredentials } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { countInFlightOf } from "../../store/events/in-flight.ts";
import { countCategoryChoices } from "../../store/subscribers/categories.ts";
import { requireEnvironment } from "../environments/environments.ts";
import { unseal } from "../integrations/credentials.ts";
import { toStep } from "../workflows/in-flight.ts";
import { applyPlan } from "./apply-files.ts";
import { refuseAudiences } from "./audience-plan.ts";
import { readDrift, recordApplied } from "./file-drift.ts";
import { findFileIssues } from "./file-issues.ts";
import { planFiles } from "./file-plan.ts";
import { type FileState, readState, toResources } from "./file-state.ts";
import { inFlightText } from "./in-flight-text.ts";
import type { Plan } from "./plan.ts";
import { type ReadFiles, readFiles } from "./read-files.ts";

export async function exportAll(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"files.export">,
): Promise<Output<"files.export">> {
  const environmentId =
    query.environmentId === undefined
      ? caller.environmentId
      : (await requireEnvironment(ctx, caller, query.environmentId)).id;
  const state = await readState(ctx, environmentId, { lock: false });
  const { fingerprint, fingerprints } = state;
  return {
    environmentId,
    exportedAt: ctx.now().toISOString(),
    fingerprint,
    fingerprints,
    resources: toResources(state),
  };
}

type Wanted = Input<"files.plan">["body"];

export async function compare(
  ctx: Ctx,
  { environmentId }: Caller,
  { resources, prune = false }: Wanted,
  lock: boolean,
) {
  const topicKeys = resources.topics?.map(({ key }) => key.trim());
  const state = await readState(ctx, environmentId, { lock, topicKeys });
  const storedSteps = new Map(state.workflows.map(({ row }) => [row.workflow_id, row.steps]));
  const files = await readFiles(ctx, resources, storedSteps);
  refuseOtherProviders(state, files);
  refuseAudiences(state, files);
  const canSend = (identifier: string, providerId: string) => {
    const row = state.allIntegrations.find((one) => one.identifier === identifier);
    const credentials = row ? unseal(ctx.secrets, row.credentials) : {};
    return validateCredentials(providerId, credentials, { requireAll: true }).length === 0;
  };
  const choices = prune ? await choicesOf(ctx, environmentId, state, resources.categories) : new Map<string, number>();
  return { state, plan: planFiles(state, files, { prune, canSend, choices }) };
}

/** The choices for categories that the files lack. */
async function choicesOf(
  ctx: Ctx,
  environmentId: string,
  { categories }: FileState,
  given: CategoryFile[] | undefined,
) {
  const wanted = new Set(given?.map(({ categoryId }) => categoryId));
  const lacking = given ? categories.filter(({ row }) => !wanted.has(row.category_id)) : [];
  const ids = lacking.map(({ row }) => row.id);
  return countCategoryChoices(ctx.db, environmentId, ids);
}

/** An identifier stays with its provider: another one would get the secrets of the first. */
function refuseOtherProviders({ allIntegrations }: FileState, { integrations = [] }: ReadFiles): void {
  const faults = faultCollector();
  for (const [index, { identifier, providerId }] of integrations.entries()) {
    const row = allIntegrations.find((one) => one.identifier === identifier);
    const field = `resources.integrations.${index}.providerId`;
    if (row && row.provider_id !== providerId)
      faults.add(
        field,
        `${field} cannot be changed: integration ${identifier} is one of ${row.provider_id}`,
        providerId,
      );
  }
  faults.throwIfAny();
}

export async function plan(ctx: Ctx, caller: Caller, { body }: Input<"files.plan">): Promise<Output<"files.plan">> {
  const { state, plan: planned } = await compare(ctx, caller, body, false);
  return toAnswer(ctx, caller, state, planned, body);
}

export async function apply(ctx: Ctx, caller: Caller, { body }: Input<"files.apply">): Promise<Output<"files.apply">> {
  const { environmentId } = caller;
  // Layouts, integrations and publishing take turns by this lock; workflows are locked one by one when they are read.
  await lockEnvironment(ctx.db, environmentId);
  const { state, plan: planned } = await compare(ctx, caller, body, true);
  const answer = await toAnswer(ctx, caller, state, planned, body);
  const { fingerprint, fingerprints } = state;
  // A repeated request finds its own work done, which is not a conflict.
  if (planned.changes.length === 0) {
    await recordApplied(ctx, environmentId, body.resources, fingerprints, planned);
    return { ...answer, fingerprints };
  }
  if (fingerprint !== body.expectedFingerprint)
    throw failure(
      "FILES_CHANGED",
      { fingerprint, expectedFingerprint: body.expectedFingerprint },
      { body: { currentFingerprint: fingerprint } },
    );
  const blocking = answer.issues.filter(({ isBlocking }) => isBlocking);
  if (blocking.length > 0 && !body.allowIssues)
    throw failure("FILES_HAVE_ISSUES", { count: String(blocking.length) }, { body: { issues: answer.issues } });
  await applyPlan(ctx, caller, planned);
  const after = await readState(ctx, environmentId, { lock: false });
  await recordApplied(ctx, environmentId, body.resources, after.fingerprints, planned);
  return { ...answer, fingerprint: after.fingerprint, fingerprints: after.fingerprints };
}

async function toAnswer(ctx: Ctx, caller: Caller, state: FileState, plan: Plan, wanted: Wanted): Promise<FilesPlan> {
  const { changes, unchanged, kept, workflows, deletedWorkflows } = plan;
  const rows = [
    ...workflows.flatMap(({ row, hasNewContent }) => (row && hasNewContent ? [row] : [])),
    ...deletedWorkflows,
  ];
  const idOf = new Map(rows.map((row) => [row.workflow_id, row.id]));
  // The work is bounded, however many workflows change.
  const limit = Math.max(100, Math.floor(maxInFlightChecked / Math.max(1, rows.length)));
  const inFlight = await countInFlightOf(ctx.db, caller.environmentId, [...idOf.values()], limit);
  return {
    fingerprint: state.fingerprint,
    changes: changes.map((change) => {
      const found = change.type === "workflow" ? inFlight.get(idOf.get(change.id) ?? "") : undefined;
      const total = found?.rows.reduce((sum, row) => sum + row.count, 0) ?? 0;
      if (!found || total === 0) return change;
      const data = found.rows.map(toStep);
      const isCapped = found.looked === limit;
      return { ...change, inFlight: { total, isCapped, text: inFlightText(change, data), data } };
    }),
    unchanged,
    kept,
    ...(await readDrift(ctx, caller.environmentId, wanted, state, plan)),
    issues: await findFileIssues(ctx, caller.environmentId, { resources: wanted.resources, state, plan }),
  };
}
