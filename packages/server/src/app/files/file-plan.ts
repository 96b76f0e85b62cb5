// Compares what an environment has with what files say it should have. Pure: the plan that is shown and the writes that
// apply it come from the same comparison.
import {
  type AttentionBudget,
  type BrandFile,
  broadcastWorkflowId,
  type FileDrift,
  fileTypes,
  rollUpWorkflowId,
  type TopicFile,
  unlistedReason,
} from "@tidings/contract";
import { canonicalJson } from "../../lib/json.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { versionOf, type WorkflowRow } from "../../store/workflows/workflows.ts";
import { describeBudgets } from "../attention/budget-sentences.ts";
import { rollsUp } from "../attention/read-budgets.ts";
import { changedMembers, describeBrand } from "../brand/brand-sentences.ts";
import { toPortable } from "../environments/environment-diff.ts";
import { diffContents, summarizeDiff } from "../workflows/version-diff.ts";
import { planAudiences } from "./audience-plan.ts";
import { planCategories } from "./category-plan.ts";
import { keyOf, toAttentionFile, toWorkflowFile, withoutDefaults } from "./file-forms.ts";
import type { FileState } from "./file-state.ts";
import { planIntegration } from "./integration-plan.ts";
import { planLayoutDeletions, planLayouts } from "./layout-plan.ts";
import { bareChange, type Plan, type PlannedChange, type WorkflowWrite } from "./plan.ts";
import type { ReadFiles } from "./read-files.ts";
import { newWorkflowSentences, settingSentences, stepSentences, textSentences } from "./sentences.ts";
import type { ReadWorkflow } from "./workflow-files.ts";

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

type PlanFacts = {
  prune: boolean;
  /** Whether the credentials of an integration are complete, by identifier. */
  canSend: (identifier: string, providerId: string) => boolean;
  /** By the id of a category that the files lack, the number of subscribers with a choice for it. */
  choices: ReadonlyMap<string, number>;
};

export function planFiles(state: FileState, files: ReadFiles, { prune, canSend, choices }: PlanFacts): Plan {
  const plan: Plan = {
    changes: [],
    unchanged: 0,
    kept: [],
    workflows: [],
    layouts: [],
    integrations: [],
    topics: [],
    categories: [],
    audiences: [],
    deletedWorkflows: [],
    deletedLayouts: [],
    deletedCategories: [],
    deletedAudiences: [],
  };
  planLayouts(plan, state, files.layouts);
  planWorkflows(plan, state, files);
  if (files.workflows) planWorkflowDeletions(plan, state, files, prune);
  if (files.layouts) planLayoutDeletions(plan, state, files, prune);
  for (const file of files.integrations ?? []) {
    const { change, write } = planIntegration(state.allIntegrations, state.integrations, file, canSend);
    if (!change) plan.unchanged++;
    else plan.changes.push(change);
    if (write) plan.integrations.push(write);
  }
  planTopics(plan, state, files.topics ?? []);
  if (files.categories) planCategories(plan, state, files, { prune, choices });
  if (files.audiences) planAudiences(plan, state, files, prune);
  if (files.brand) planBrand(plan, state.brand, files.brand);
  if (files.budgets) planBudgets(plan, state, files.budgets, files.workflows);
  return plan;
}

function planWorkflows(plan: Plan, state: FileState, files: ReadFiles): void {
  const stored = new Map(state.workflows.map((one) => [one.row.workflow_id, one]));
  // A layout that is only in the files has no internal id yet, and is named by its identifier.
  const layouts = state.layouts.map(({ row }) => row);
  for (const { content, texts } of files.workflows ?? []) {
    const before = stored.get(content.workflow_id);
    const file = toWorkflowFile(content, layouts, texts);
    if (before && isSame(before.file, file)) {
      plan.unchanged++;
      continue;
    }
    const about = { type: "workflow" as const, id: content.workflow_id, name: content.name };
    if (!before) {
      plan.changes.push({ ...bareChange, ...about, action: "created", sentences: newWorkflowSentences(file) });
      plan.workflows.push({
        content,
        texts,
        row: undefined,
        hasNewContent: true,
        hasNewTexts: Object.keys(texts).length > 0,
        summary: "Created from files",
      });
      continue;
    }
    const write = compareWorkflow(before, { content, texts }, layouts);
    plan.workflows.push(write.write);
    plan.changes.push({ ...bareChange, ...about, action: "changed", ...write.change });
  }
}

function compareWorkflow(
  { row, file }: FileState["workflows"][number],
  { content, texts }: ReadWorkflow,
  layouts: readonly LayoutRow[],
): { write: WorkflowWrite; change: Pick<PlannedChange, "settings" | "steps" | "sentences"> } {
  const portable = (some: WorkflowRow) => ({
    ...some,
    preferences_default: withoutDefaults(some.preferences_default),
    description: some.description || null,
    steps: some.steps.map((step) => ({ ...step, controlValues: toPortable(step, layouts).controlValues })),
  });
  const next: WorkflowRow = { ...row, ...content };
  const contentOf = (some: WorkflowRow) => versionOf(row.environment_id, row.version_id, portable(some), "");
  const diff = diffContents(contentOf(row), contentOf(next));
  const hasNewContent = diff.settings.length > 0 || diff.steps.length > 0;
  const before = file.translations ?? {};
  return {
    write: {
      // What means the same is not written in other words: a version shows what really changed.
      content: diff.settings.some(({ field }) => field === "preferences.default")
        ? content
        : { ...content, preferences_default: row.preferences_default },
      texts,
      row,
      hasNewContent,
      hasNewTexts: !isSame(before, texts),
      summary: `From files: ${summarizeDiff(diff)}`.slice(0, 300),
    },
    change: {
      ...diff,
      sentences: [
        ...settingSentences(diff.settings),
        ...stepSentences(diff.steps, { before: row.steps, after: next.steps }),
        ...textSentences(before, texts),
      ],
    },
  };
}

function planWorkflowDeletions(plan: Plan, state: FileState, files: ReadFiles, prune: boolean): void {
  const wanted = new Set(files.workflows!.map(({ content }) => content.workflow_id));
  for (const { row } of state.workflows) {
    if (wanted.has(row.workflow_id)) continue;
    const use = useOf(row.workflow_id, files.budgets ?? state.attention?.budgets ?? []);
    if (!prune || use !== null) {
      const reason = prune ? use! : unlistedReason;
      plan.kept.push({ type: "workflow", id: row.workflow_id, reason });
      continue;
    }
    plan.deletedWorkflows.push(row);
    const sentences = ["It is deleted: events that name it are refused, and its subscribers get no more events"];
    plan.changes.push({
      ...bareChange,
      type: "workflow",
      id: row.workflow_id,
      name: row.name,
      action: "deleted",
      sentences,
    });
  }
}

/** What the service itself uses the workflow for, although files may lack it. */
function useOf(workflowId: string, budgets: AttentionBudget[]): string | null {
  if (workflowId === broadcastWorkflowId) return "people choose in it whether they get broadcasts";
  return workflowId === rollUpWorkflowId && rollsUp(budgets) ? "the attention budget sends roll-ups through it" : null;
}

function planTopics(plan: Plan, state: FileState, given: TopicFile[]): void {
  const stored = new Map(state.namedTopics.map((row) => [row.key, row.name]));
  for (const topic of given) {
    const before = stored.get(topic.key);
    if (before === topic.name) {
      plan.unchanged++;
      continue;
    }
    plan.topics.push(topic);
    const about = { type: "topic" as const, id: topic.key, name: topic.name };
    const settings = before === undefined ? [] : [{ field: "name", before, after: topic.name }];
    const sentences = before === undefined ? ["New topic"] : settingSentences(settings);
    plan.changes.push({
      ...bareChange,
      ...about,
      action: before === undefined ? "created" : "changed",
      settings,
      sentences,
    });
  }
}

function planBrand(plan: Plan, before: BrandFile | null, brand: BrandFile): void {
  if (isSame(before ?? {}, brand)) {
    plan.unchanged++;
    return;
  }
  plan.brand = brand;
  const isEmpty = Object.keys(brand).length === 0;
  plan.changes.push({
    ...bareChange,
    type: "brand",
    id: "brand",
    name: brand.name ?? "Brand",
    action: !before ? "created" : isEmpty ? "deleted" : "changed",
    settings: before ? changedMembers(before, brand) : [],
    sentences: describeBrand({ before, after: isEmpty ? null : brand }),
  });
}

function planBudgets(plan: Plan, state: FileState, budgets: AttentionBudget[], given: ReadWorkflow[] = []): void {
  const before = state.attention?.budgets ?? [];
  const after = toAttentionFile(budgets)?.budgets ?? [];
  if (isSame(before, after)) {
    plan.unchanged++;
    return;
  }
  const hasTemplate = given.some(({ content }) => content.workflow_id === rollUpWorkflowId);
  plan.budgets = { list: budgets, hasTemplate };
  const isKnown = hasTemplate || state.workflows.some(({ row }) => row.workflow_id === rollUpWorkflowId);
  const isCreated = rollsUp(budgets) && !isKnown;
  plan.changes.push({
    ...bareChange,
    type: "attention",
    id: "attention",
    name: "Attention budget",
    action: before.length === 0 ? "created" : after.length === 0 ? "deleted" : "changed",
    settings: before.length > 0 ? [{ field: "budgets", before, after }] : [],
    sentences: describeBudgets({ before, after }),
    notes: isCreated ? [`The workflow ${rollUpWorkflowId} is created with its first template: pull it afterwards`] : [],
  });
}

/** What happened in the environment since these fingerprints were taken, and whether the plan undoes it. */
export function findDrift(
  state: FileState,
  pulled: Record<string, string>,
  changes: PlannedChange[],
  keys = [...new Set([...Object.keys(pulled), ...Object.keys(state.fingerprints)])],
): FileDrift[] {
  const planned = new Set(changes.map(({ type, id }) => keyOf(type, id)));
  return keys.sort().flatMap((key): FileDrift[] => {
    const before = Object.hasOwn(pulled, key) ? pulled[key] : undefined;
    const now = Object.hasOwn(state.fingerprints, key) ? state.fingerprints[key] : undefined;
    const [word, ...id] = key.split("/");
    const type = fileTypes.find((one) => one === word);
    if (before === now || !type) return [];
    const kind = before === undefined ? "created" : now === undefined ? "deleted" : "changed";
    return [{ type, id: id.join("/"), kind, isOverwritten: planned.has(key) }];
  });
}
