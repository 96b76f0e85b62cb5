// Compares what an environment has with what files say it should have. Pure: the plan that is shown and the writes that apply it
// come from the same comparison.
import { type FileChange, type FileDrift, type FileKept, fileTypes, type TopicFile } from "@tidings/contract";
import { canonicalJson, type JsonObject } from "../../lib/json.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { versionOf, type WorkflowRow } from "../../store/workflows/workflows.ts";
import { diffContents, summarizeDiff } from "../workflows/version-diff.ts";
import { keyOf, toLayoutFile, toWorkflowFile, withoutDefaults } from "./file-forms.ts";
import type { FileState } from "./file-state.ts";
import { type IntegrationWrite, planIntegration } from "./integration-plan.ts";
import type { ReadFiles } from "./read-files.ts";
import { newWorkflowSentences, settingSentences, stepSentences, textSentences } from "./sentences.ts";
import type { ReadLayout, ReadWorkflow } from "./workflow-files.ts";

export type PlannedChange = Omit<FileChange, "inFlight">;

export type WorkflowWrite = ReadWorkflow & {
  row: WorkflowRow | undefined;
  /** False when only its texts change: then there is no new version. */
  hasNewContent: boolean;
  hasNewTexts: boolean;
  summary: string;
};
export type LayoutWrite = ReadLayout & { row: LayoutRow | undefined };

export type Plan = {
  changes: PlannedChange[];
  unchanged: number;
  kept: FileKept[];
  workflows: WorkflowWrite[];
  layouts: LayoutWrite[];
  integrations: IntegrationWrite[];
  topics: TopicFile[];
  deletedWorkflows: WorkflowRow[];
  deletedLayouts: LayoutRow[];
};

const nothing = { settings: [], steps: [], notes: [], sentences: [] };
const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** `canSend`: whether the credentials of an integration are complete, by identifier. */
export function planFiles(
  state: FileState,
  files: ReadFiles,
  { prune, canSend }: { prune: boolean; canSend: (identifier: string, providerId: string) => boolean },
): Plan {
  const plan: Plan = {
    changes: [],
    unchanged: 0,
    kept: [],
    workflows: [],
    layouts: [],
    integrations: [],
    topics: [],
    deletedWorkflows: [],
    deletedLayouts: [],
  };
  planLayouts(plan, state, files.layouts);
  planWorkflows(plan, state, files);
  if (files.workflows) planWorkflowDeletions(plan, state, files.workflows, prune);
  if (files.layouts) planLayoutDeletions(plan, state, files, prune);
  for (const file of files.integrations ?? []) {
    const { change, write } = planIntegration(state.allIntegrations, state.integrations, file, canSend);
    if (!change) plan.unchanged++;
    else plan.changes.push(change);
    if (write) plan.integrations.push(write);
  }
  planTopics(plan, state, files.topics ?? []);
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
      plan.changes.push({ ...nothing, ...about, action: "created", sentences: newWorkflowSentences(file) });
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
    plan.changes.push({ ...nothing, ...about, action: "changed", ...write.change });
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
    steps: some.steps.map((step) => ({
      ...step,
      controlValues: controlsOf(toWorkflowFile({ ...some, steps: [step] }, layouts, {}).steps[0]!),
    })),
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

const controlsOf = ({ controlValues }: { controlValues?: JsonObject }): JsonObject => controlValues ?? {};

function planWorkflowDeletions(plan: Plan, state: FileState, given: ReadWorkflow[], prune: boolean): void {
  const wanted = new Set(given.map(({ content }) => content.workflow_id));
  for (const { row } of state.workflows) {
    if (wanted.has(row.workflow_id)) continue;
    if (!prune) {
      plan.kept.push({ type: "workflow", id: row.workflow_id, reason: "it is not in the files; prune deletes it" });
      continue;
    }
    plan.deletedWorkflows.push(row);
    const sentences = ["It is deleted: events that name it are refused, and its subscribers hear no more of it"];
    plan.changes.push({
      ...nothing,
      type: "workflow",
      id: row.workflow_id,
      name: row.name,
      action: "deleted",
      sentences,
    });
  }
}

function planLayouts(plan: Plan, state: FileState, given: ReadLayout[] | undefined): void {
  if (!given) return;
  const stored = new Map(state.layouts.map((one) => [one.row.layout_id, one]));
  const hasNewDefault = given.some(({ content }) => content.is_default);
  // The first layout of an environment is its default, whether a file says so or not.
  const first = state.layouts.length === 0 && !hasNewDefault ? given[0] : undefined;
  for (const one of given) {
    const before = stored.get(one.content.layout_id);
    const is_default = hasNewDefault ? one.content.is_default : (before?.row.is_default ?? one === first);
    const content = { ...one.content, is_default };
    const file = toLayoutFile(content, one.texts);
    const about = { type: "layout" as const, id: content.layout_id, name: content.name };
    if (before && isSame(before.file, file)) {
      plan.unchanged++;
      continue;
    }
    plan.layouts.push({ content, texts: one.texts, row: before?.row });
    if (!before) {
      const sentences = [is_default ? "New layout, the default: emails that name no layout use it" : "New layout"];
      plan.changes.push({ ...nothing, ...about, action: "created", sentences });
      continue;
    }
    const { translations: textsBefore = {}, ...settingsBefore } = before.file;
    const { translations: textsAfter = {}, ...settingsAfter } = file;
    const settings = changedMembers(settingsBefore, settingsAfter);
    const sentences = settings.map(({ field, after }) => {
      if (field === "body") return "Its html changes: all emails that use it look different";
      if (field === "isDefault")
        return after ? "It becomes the default: emails that name no layout use it" : "It is no longer the default";
      return settingSentences([{ field, before: null, after }])[0]!;
    });
    sentences.push(...textSentences(textsBefore, textsAfter));
    plan.changes.push({ ...nothing, ...about, action: "changed", settings, sentences });
  }
}

function changedMembers(before: JsonObject, after: JsonObject): PlannedChange["settings"] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((change) => !isSame(change.before, change.after));
}

/** A layout that an email of the result names, or the default, is not deleted. */
function planLayoutDeletions(plan: Plan, state: FileState, files: ReadFiles, prune: boolean): void {
  const wanted = new Set(files.layouts!.map(({ content }) => content.layout_id));
  const deleted = new Set(plan.deletedWorkflows.map(({ workflow_id }) => workflow_id));
  const written = new Map((files.workflows ?? []).map(({ content }) => [content.workflow_id, content.steps]));
  const users = new Map<string, string>();
  const addUsers = (workflowId: string, steps: WorkflowRow["steps"]) => {
    for (const { controlValues } of steps) users.set(String(controlValues.layoutId ?? ""), workflowId);
  };
  for (const [workflowId, steps] of written) addUsers(workflowId, steps);
  for (const { row } of state.workflows)
    if (!written.has(row.workflow_id) && !deleted.has(row.workflow_id)) addUsers(row.workflow_id, row.steps);
  const hasNewDefault = files.layouts!.some(({ content }) => content.is_default);
  for (const { row } of state.layouts) {
    if (wanted.has(row.layout_id)) continue;
    const user = users.get(row.layout_id) ?? users.get(row.id);
    const reason = !prune
      ? "it is not in the files; prune deletes it"
      : row.is_default && !hasNewDefault
        ? "it is the default layout; make another one the default first"
        : user !== undefined
          ? `workflow ${user} uses it`
          : null;
    if (reason !== null) {
      plan.kept.push({ type: "layout", id: row.layout_id, reason });
      continue;
    }
    plan.deletedLayouts.push(row);
    plan.changes.push({
      ...nothing,
      type: "layout",
      id: row.layout_id,
      name: row.name,
      action: "deleted",
      sentences: ["It is deleted; no workflow uses it"],
    });
  }
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
      ...nothing,
      ...about,
      action: before === undefined ? "created" : "changed",
      settings,
      sentences,
    });
  }
}

/** What happened in the environment since its fingerprints were taken, and whether the plan takes it back. */
export function findDrift(
  state: FileState,
  pulled: Record<string, string> | undefined,
  changes: PlannedChange[],
): FileDrift[] {
  if (!pulled) return [];
  const planned = new Set(changes.map(({ type, id }) => keyOf(type, id)));
  const keys = [...new Set([...Object.keys(pulled), ...Object.keys(state.fingerprints)])].sort();
  return keys.flatMap((key): FileDrift[] => {
    const before = Object.hasOwn(pulled, key) ? pulled[key] : undefined;
    const now = Object.hasOwn(state.fingerprints, key) ? state.fingerprints[key] : undefined;
    const [word, ...id] = key.split("/");
    const type = fileTypes.find((one) => one === word);
    if (before === now || !type) return [];
    const kind = before === undefined ? "created" : now === undefined ? "deleted" : "changed";
    return [{ type, id: id.join("/"), kind, isOverwritten: planned.has(key) }];
  });
}
