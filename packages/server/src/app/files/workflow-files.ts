// Workflows and layouts of files, read into what would be stored; errors are thrown by field. Pure: the command line
// runs the same checks without a service.
import { type LayoutFile, type StepFile, type StepIn, stepDefinitions, type WorkflowFile } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { Failure, type FieldFaults, invalid, maxFaults } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { canonicalLocale } from "../../lib/locale.ts";
import { describeKnown } from "../../lib/text/nearest.ts";
import type { StoredStep, WorkflowContent } from "../../store/workflows/workflows.ts";
import { contentFault } from "../workflows/translation-files.ts";
import { defaultPreference, defaultSettings, readSettings, readSteps } from "../workflows/workflow-content.ts";
import { type LayoutContent, type Texts, withoutDefaults } from "./file-forms.ts";

type WorkflowBody = Omit<
  WorkflowContent,
  "id" | "origin" | "last_published_at" | "last_published_by" | "updated_at" | "updated_by"
>;
export type ReadWorkflow = { content: WorkflowBody; texts: Texts };
export type ReadLayout = { content: LayoutContent; texts: Texts };

export function readWorkflowFile(ctx: Pick<Ctx, "newId">, file: WorkflowFile, storedSteps: StoredStep[]): ReadWorkflow {
  const faults: FieldFaults = unknownControls(file.steps);
  const settings = gather(faults, () => readSettings(file, { ...defaultSettings, active: true }));
  const steps = gather(faults, () => readSteps(ctx, file.steps.map(toStepIn), storedSteps));
  const texts = gather(faults, () => readTexts(file.translations));
  if (!settings || !steps || !texts || Object.keys(faults).length > 0) throw invalid(faults);
  const content: WorkflowBody = {
    ...settings,
    workflow_id: file.workflowId,
    name: file.name,
    preferences_user: file.preferences?.user ?? null,
    preferences_default: { ...defaultPreference, ...withoutDefaults(file.preferences?.workflow ?? defaultPreference) },
    steps,
    bridge_url: null,
  };
  return { content, texts };
}

function gather<T>(faults: FieldFaults, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "VALIDATION_ERROR") throw error;
    Object.assign(faults, error.extra.errors);
    return undefined;
  }
}

const toStepIn = ({ name, stepId, ...step }: StepFile): StepIn => ({ ...step, stepId, name: name ?? stepId });

/** Saving a workflow drops controls that its step type does not have; in a file they are mistakes. */
function unknownControls(steps: StepFile[]): FieldFaults {
  const faults: FieldFaults = {};
  for (const [index, { type, controlValues }] of steps.entries()) {
    const schema = stepDefinitions[type].controls;
    const branches = (schema.oneOf as JsonObject[] | undefined) ?? [schema];
    const known = new Set(branches.flatMap(({ properties }) => Object.keys(properties as JsonObject)));
    for (const name of Object.keys(controlValues ?? {})) {
      const field = `steps.${index}.controlValues.${name}`;
      if (known.has(name)) continue;
      // Finding the nearest name takes time, and no response has more errors than these.
      const more = Object.keys(faults).length < maxFaults ? describeKnown(name, [...known]) : "";
      faults[field] = { messages: [`${field} is not a known member of a step of type ${type}${more}`] };
    }
  }
  return faults;
}

function readTexts(translations: Record<string, JsonObject> = {}): Texts {
  const faults: FieldFaults = {};
  const texts: Texts = {};
  for (const [given, content] of Object.entries(translations)) {
    const locale = canonicalLocale(given);
    const field = `translations.${given}`;
    const fault = isObject(content) ? contentFault(content) : "must be an object";
    if (fault) faults[field] = { messages: [`${field} ${fault}`] };
    else if (Object.hasOwn(texts, locale)) faults[field] = { messages: [`${field} is given twice, as ${locale}`] };
    texts[locale] = content;
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return texts;
}

export function readLayoutFile(file: LayoutFile): ReadLayout {
  const { layoutId, name, isDefault = false, isTranslationEnabled = false, editorType = "html", body } = file;
  return {
    content: {
      layout_id: layoutId,
      name,
      is_default: isDefault,
      is_translation_enabled: isTranslationEnabled,
      control_values: body === undefined ? {} : { email: { body, editorType } },
    },
    texts: readTexts(file.translations),
  };
}
