// The change of a backtest, read into what a replay uses: workflows as definitions, budgets, preferences, the order of
// integrations, layouts. A change that could not be saved is refused with the same errors.
import type { BacktestChange, FileResources, ResourceIssue } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, type FieldFaults, failure, faultCollector, invalid } from "../../failure.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import type { ChangedWorkflow, StoredChange } from "../../store/tables.ts";
import { findWorkflow, versionOf, type WorkflowRow } from "../../store/workflows/workflows.ts";
import { readBudgets } from "../attention/read-budgets.ts";
import { findFileIssues } from "../files/file-issues.ts";
import { compare } from "../files/files.ts";
import { workflowErrors } from "../files/resource-errors.ts";
import { readDraft } from "../workflows/drafts.ts";
import { viewFacts } from "../workflows/workflows.ts";

type Given = NonNullable<BacktestChange["workflows"]>;

export async function readChange(ctx: Ctx, caller: Caller, change: BacktestChange): Promise<StoredChange> {
  const { files, workflows = [], attention, preferenceDefaults = [], integrationOrder = [] } = change;
  const read: StoredChange = { workflows: [], budgets: null, preferences: {}, order: {}, layouts: {}, ignored: [] };
  if (files) await readFileChange(ctx, caller, files, read);
  for (const workflow of await readDrafts(ctx, caller, workflows)) {
    read.workflows = [...read.workflows.filter(({ id }) => id !== workflow.id), workflow];
  }
  if (attention) read.budgets = withPath("change.attention", () => readBudgets(attention.budgets));
  await readPreferences(ctx, caller, preferenceDefaults, read);
  await readOrder(ctx, caller, integrationOrder, read);
  return read;
}

/** Fields are named as the request has them. */
function withPath<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw renamed(error, path);
  }
}

function renamed(error: unknown, path: string): unknown {
  if (!(error instanceof Failure) || error.code !== "VALIDATION_ERROR") return error;
  const faults = Object.entries(error.extra.errors as FieldFaults);
  return invalid(
    Object.fromEntries(
      faults.map(([field, fault]) => [
        `${path}.${field}`,
        { ...fault, messages: fault.messages.map((message) => message.replaceAll(field, `${path}.${field}`)) },
      ]),
    ),
  );
}

async function requireWorkflow(ctx: Ctx, { environmentId }: Caller, workflowId: string, field: string) {
  const row = await findWorkflow(ctx.db, environmentId, workflowId);
  if (row) return row;
  const message = `${field} names no workflow of this environment: a new one has no events of the past`;
  throw invalid({ [field]: { messages: [message], value: workflowId } });
}

/** At most as many as the contract allows. */
async function readDrafts(ctx: Ctx, caller: Caller, drafts: Given): Promise<ChangedWorkflow[]> {
  if (drafts.length === 0) return [];
  const facts = await viewFacts(ctx, caller.environmentId);
  const found: ChangedWorkflow[] = [];
  for (const [index, draft] of drafts.entries()) {
    const path = `change.workflows.${index}`;
    const row = await requireWorkflow(ctx, caller, draft.workflowId, `${path}.workflowId`);
    if (row.bridge_url !== null)
      throw failure("WORKFLOW_IN_CODE", { workflowId: row.workflow_id, fields: "its steps" });
    if (found.some(({ id }) => id === row.id)) {
      const field = `${path}.workflowId`;
      throw invalid({ [field]: { messages: [`${field} is given twice`], value: draft.workflowId } });
    }
    const { version, target } = await readDraft(ctx, caller, { ...draft, workflowId: row.workflow_id }).catch(
      (error) => {
        throw renamed(error, path);
      },
    );
    const { definition } = version;
    const issued = {
      workflow_id: row.workflow_id,
      steps: definition.steps,
      bridge_url: null,
      payload_schema: draft.payloadSchema ?? row.payload_schema,
      is_translation_enabled: definition.isTranslationEnabled ?? false,
    };
    refuseIssues(path, await workflowErrors(issued, facts));
    found.push({ id: row.id, workflowId: row.workflow_id, active: target.active, definition });
  }
  return found;
}

/** A channel without an integration is set up in the environment, and says so in the report: nothing is sent. */
function refuseIssues(path: string, issues: ResourceIssue[]): void {
  const faults = faultCollector();
  for (const { issueType, field, message } of issues) {
    if (issueType !== "MISSING_INTEGRATION") faults.add(`${path}.${field}`, `${path}.${field}: ${message}`);
  }
  faults.throwIfAny();
}

/** Parts of files that a replay does not take into account. */
const ignoredParts = {
  integrations: "Integrations of the files are not taken into account: name an order of integrations instead",
  topics: "Topics of the files are not taken into account: events reach the people whom they reached",
  categories: "Categories of the files are not taken into account",
  audiences: "Audiences of the files are not taken into account: conditions ask those of the environment",
} as const;

async function readFileChange(ctx: Ctx, caller: Caller, files: FileResources, read: StoredChange): Promise<void> {
  const { environmentId } = caller;
  const { state, plan } = await compare(ctx, caller, { resources: files }, false).catch((error) => {
    throw renamed(error, "change.files");
  });
  const issues = await findFileIssues(ctx, environmentId, { resources: files, state, plan });
  const blocking = issues.filter(({ isBlocking }) => isBlocking);
  if (blocking.length > 0) throw failure("FILES_HAVE_ISSUES", { count: String(blocking.length) }, { body: { issues } });
  for (const { content, row, hasNewContent, hasNewTexts } of plan.workflows) {
    const { workflow_id: workflowId } = content;
    if (!row) read.ignored.push(`The workflow ${workflowId} is new, so that no event of the past reaches it`);
    else if (hasNewContent) read.workflows.push(toChanged(environmentId, row, content));
    if (row && hasNewTexts) read.ignored.push(`Translations of the workflow ${workflowId} are those of today`);
  }
  for (const { content, row } of plan.layouts) {
    if (row) read.layouts[row.id] = content.control_values;
    else read.ignored.push(`The layout ${content.layout_id} is new: mails keep those that exist`);
  }
  for (const part of ["integrations", "topics", "categories", "audiences"] as const) {
    if (plan[part].length > 0) read.ignored.push(ignoredParts[part]);
  }
  if (plan.brand) read.ignored.push("The brand of the files is not taken into account");
  if (plan.budgets) read.budgets = plan.budgets.list;
}

function toChanged(environmentId: string, row: WorkflowRow, content: Partial<WorkflowRow>): ChangedWorkflow {
  const { definition } = versionOf(environmentId, row.version_id, { ...row, ...content }, "");
  return { id: row.id, workflowId: row.workflow_id, active: content.active ?? row.active, definition };
}

async function readPreferences(
  ctx: Ctx,
  caller: Caller,
  defaults: NonNullable<BacktestChange["preferenceDefaults"]>,
  read: StoredChange,
): Promise<void> {
  for (const [index, { workflowId, preference }] of defaults.entries()) {
    const field = `change.preferenceDefaults.${index}.workflowId`;
    const row = await requireWorkflow(ctx, caller, workflowId, field);
    read.preferences[row.id] = preference;
  }
}

async function readOrder(
  { db }: Ctx,
  { environmentId }: Caller,
  given: NonNullable<BacktestChange["integrationOrder"]>,
  read: StoredChange,
): Promise<void> {
  if (given.length === 0) return;
  const rows = await listIntegrations(db, environmentId);
  const faults = faultCollector();
  for (const [index, { channel, identifiers }] of given.entries()) {
    for (const [at, identifier] of identifiers.entries()) {
      const field = `change.integrationOrder.${index}.identifiers.${at}`;
      const row = rows.find((one) => one.identifier === identifier);
      if (row?.channel !== channel || !row.active)
        faults.add(field, `${field} names no active integration of the channel ${channel}`, identifier);
    }
    read.order[channel] = identifiers;
  }
  faults.throwIfAny();
}
