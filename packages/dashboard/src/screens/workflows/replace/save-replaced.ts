// Saves what a replacement changed: through the usual updates, which name the version that was read, so that they do
// not overwrite what another member saved meanwhile.
import { callOperation } from "../../../api/client.ts";
import { draftOf, toUpdate } from "../editor/model.ts";
import { replaceIn, type Search } from "./replace.ts";

type Replacement = {
  kind: "workflow" | "layout";
  id: string;
  /** Languages whose texts contain it. */
  locales: readonly string[];
  /** Whether something else contains it. */
  isInContent: boolean;
  search: Search;
  replacement: string;
};

export async function saveReplaced(change: Replacement, environmentId: string): Promise<void> {
  if (change.isInContent) await (change.kind === "workflow" ? saveWorkflow : saveLayout)(change, environmentId);
  for (const locale of change.locales) await saveTexts(change, locale, environmentId);
}

async function saveWorkflow({ id, search, replacement }: Replacement, environmentId: string): Promise<void> {
  const workflow = await callOperation("workflows.retrieve", { params: { workflowId: id }, query: {} }, environmentId);
  const draft = draftOf(workflow);
  const { name, description } = replaceIn({ name: draft.name, description: draft.description }, search, replacement);
  const steps = draft.steps.map((step) => ({
    ...step,
    controlValues: replaceIn(step.controlValues, search, replacement),
  }));
  const body = toUpdate({ ...draft, name, description, steps }, workflow, workflow.versionId);
  await callOperation("workflows.update", { params: { workflowId: workflow._id }, body }, environmentId);
}

async function saveLayout({ id, search, replacement }: Replacement, environmentId: string): Promise<void> {
  const params = { layoutId: id };
  const { name, controls, updatedAt } = await callOperation("layouts.retrieve", { params }, environmentId);
  const changed = replaceIn({ name, controlValues: controls.values }, search, replacement);
  await callOperation("layouts.update", { params, body: { ...changed, expectedUpdatedAt: updatedAt } }, environmentId);
}

async function saveTexts(change: Replacement, locale: string, environmentId: string): Promise<void> {
  const { kind: resourceType, id: resourceId, search, replacement } = change;
  const params = { resourceType, resourceId, locale };
  const { content } = await callOperation("translations.retrieve", { params }, environmentId);
  const body = { ...params, content: replaceIn(content, search, replacement) };
  await callOperation("translations.create", { body }, environmentId);
}
