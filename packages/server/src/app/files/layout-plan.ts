// Layouts of files compared with those that the environment has: new, changed, deleted, and which one is the default.
// Pure.
import { unlistedReason } from "@tidings/contract";
import { canonicalJson } from "../../lib/json.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { changedMembers } from "../brand/brand-sentences.ts";
import { toLayoutFile } from "./file-forms.ts";
import type { FileState } from "./file-state.ts";
import { bareChange, type Plan } from "./plan.ts";
import type { ReadFiles } from "./read-files.ts";
import { settingSentences, textSentences } from "./sentences.ts";
import type { ReadLayout } from "./workflow-files.ts";

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

export function planLayouts(plan: Plan, state: FileState, given: ReadLayout[] | undefined): void {
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
      plan.changes.push({ ...bareChange, ...about, action: "created", sentences });
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
    plan.changes.push({ ...bareChange, ...about, action: "changed", settings, sentences });
  }
}

/** A layout that an email of the result names, or the default, is not deleted. */
export function planLayoutDeletions(plan: Plan, state: FileState, files: ReadFiles, prune: boolean): void {
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
      ? unlistedReason
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
      ...bareChange,
      type: "layout",
      id: row.layout_id,
      name: row.name,
      action: "deleted",
      sentences: ["It is deleted; no workflow uses it"],
    });
  }
}
