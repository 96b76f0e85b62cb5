// One workflow or layout, read from its folder: the YAML file, the texts next to it, the translations below it. An
// audience is one file.
import {
  type AudienceFile,
  identifiers,
  isJsonObject,
  type JsonObject,
  type LayoutFile,
  type StepFile,
  type WorkflowFile,
} from "@tidings/contract";
import type { FileProblem, Place, ReadableFolder } from "./source.ts";
import { fromTemplateFile, isTemplateName, templateNames } from "./templates.ts";
import { readYaml, type YamlSource } from "./yaml-source.ts";

/** `placeOf`: of a field of the resource, as the service names it. */
export type ReadResource<T> = {
  value: T;
  files: string[];
  problems: FileProblem[];
  placeOf(field: string): Place;
};

export type ShapeCheck = (value: unknown) => { field: string; message: string }[];

const idPattern = new RegExp(identifiers.workflowId.pattern);
const localePattern = /^[a-zA-Z]{2,3}([_-][a-zA-Z0-9]{2,8})*$/;

/** Whether the name of a folder is an identifier. */
export const isResourceName = (name: string): boolean => idPattern.test(name) && name.length <= 100;

export const startOf = (file: string): Place => ({ file, line: 1, column: 1 });

type Opened = { source: YamlSource; value: JsonObject; problems: FileProblem[] };

/** The value of a YAML file whose shape was checked; what is wrong with it is among the problems. */
export function openYaml(folder: ReadableFolder, path: string, check: ShapeCheck): Opened {
  const text = folder.read(path);
  if (text === null) {
    const other = path.replace(/\.yaml$/, ".yml");
    const message = folder.read(other) === null ? "is missing" : `is missing: rename ${other}`;
    return { value: {}, source: readYaml(path, ""), problems: [{ ...startOf(path), message }] };
  }
  const source = readYaml(path, text);
  if (source.problems.length > 0) return { source, value: {}, problems: source.problems };
  const problems = check(source.value ?? {}).map(({ field, message }) => ({
    ...source.placeOf(field === "general" ? [] : field.split(".")),
    message: message.replace(/^Request body/, "The file"),
  }));
  return { source, value: isJsonObject(source.value) ? source.value : {}, problems };
}

export function readWorkflow(folder: ReadableFolder, id: string, check: ShapeCheck): ReadResource<WorkflowFile> {
  const path = `workflows/${id}`;
  const { source, value, problems } = openYaml(folder, `${path}/workflow.yaml`, check);
  const files = [`${path}/workflow.yaml`];
  const templates = new Map<string, string>();
  const names = new Set(folder.list(path)!.files);
  problems.push(...findRepeatedSteps(value, source));
  // Without a sound workflow.yaml it is not known which texts belong to a step: only the cause is reported.
  const isSound = problems.length === 0;
  const steps = (Array.isArray(value.steps) ? value.steps : []).map((step: StepFile, index) => {
    const found = isJsonObject(step) ? templateNames(step).filter((name) => names.delete(name)) : [];
    if (found.length === 0) return step;
    const [name, second] = found as [string, string?];
    const file = `${path}/${name}`;
    files.push(...found.map((one) => `${path}/${one}`));
    const place = source.placeOf(["steps", String(index), "controlValues", "body"]);
    if (second)
      problems.push({
        ...startOf(`${path}/${second}`),
        message: `is a second text for the step, in addition to ${name}`,
      });
    if (isJsonObject(step.controlValues) && step.controlValues.body !== undefined)
      problems.push({ ...place, message: `body is given twice: here, and in ${name}` });
    templates.set(`steps.${index}.controlValues.body`, file);
    const body = readTemplate(folder, file, problems);
    return { ...step, controlValues: { ...step.controlValues, body } };
  });
  for (const name of isSound ? names : [])
    if (isTemplateName(name))
      problems.push({
        ...startOf(`${path}/${name}`),
        message: "is the text of a step that workflow.yaml does not have",
      });
  const translations = readTranslations(folder, `${path}/translations`, files, problems);
  return {
    value: { ...value, workflowId: id, steps, ...translations } as WorkflowFile,
    files,
    problems,
    placeOf: placesOf(source, templates, `${path}/translations`),
  };
}

function findRepeatedSteps({ steps }: JsonObject, source: YamlSource): FileProblem[] {
  const ids = (Array.isArray(steps) ? steps : []).map((step) => (isJsonObject(step) ? step.stepId : undefined));
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) < index
      ? [
          {
            ...source.placeOf(["steps", String(index), "stepId"]),
            message: `steps.${index}.stepId: another step is called ${id}`,
          },
        ]
      : [],
  );
}

export function readLayout(folder: ReadableFolder, id: string, check: ShapeCheck): ReadResource<LayoutFile> {
  const path = `layouts/${id}`;
  const { source, value, problems } = openYaml(folder, `${path}/layout.yaml`, check);
  const files = [`${path}/layout.yaml`];
  const { files: names } = folder.list(path)!;
  const [name, second] = ["layout.html", "layout.json"].filter((one) => names.includes(one));
  if (second) problems.push({ ...startOf(`${path}/${second}`), message: `is a second body, in addition to ${name}` });
  if (name && value.body !== undefined)
    problems.push({ ...source.placeOf(["body"]), message: `body is given twice: here, and in ${name}` });
  const templates = new Map<string, string>();
  if (name) {
    files.push(`${path}/${name}`);
    templates.set("body", `${path}/${name}`);
  }
  const body = name ? { body: readTemplate(folder, `${path}/${name}`, problems) } : {};
  const translations = readTranslations(folder, `${path}/translations`, files, problems);
  return {
    value: { ...value, layoutId: id, ...body, ...translations } as LayoutFile,
    files,
    problems,
    placeOf: placesOf(source, templates, `${path}/translations`),
  };
}

export function readAudience(folder: ReadableFolder, id: string, check: ShapeCheck): ReadResource<AudienceFile> {
  const path = `audiences/${id}.yaml`;
  const { source, value, problems } = openYaml(folder, path, check);
  return {
    value: { ...value, audienceId: id } as AudienceFile,
    files: [path],
    problems,
    placeOf: (field) => source.placeOf(field.split(".")),
  };
}

function readTemplate(folder: ReadableFolder, file: string, problems: FileProblem[]): string {
  try {
    return fromTemplateFile({ name: file, text: folder.read(file) ?? "" });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    problems.push({ ...startOf(file), message: error.message });
    return "";
  }
}

function readTranslations(folder: ReadableFolder, path: string, files: string[], problems: FileProblem[]) {
  const translations: Record<string, JsonObject> = {};
  for (const name of folder.list(path)?.files ?? []) {
    const file = `${path}/${name}`;
    const locale = name.replace(/\.json$/, "");
    if (!name.endsWith(".json") || !localePattern.test(locale)) {
      problems.push({ ...startOf(file), message: "is not named <locale>.json" });
      continue;
    }
    files.push(file);
    const text = folder.read(file) ?? "";
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // JSON is YAML, and the reader of YAML knows the place.
      problems.push(readYaml(file, text).problems[0] ?? { ...startOf(file), message: (error as Error).message });
      continue;
    }
    if (isJsonObject(value)) translations[locale] = value;
    else problems.push({ ...startOf(file), message: "must hold a JSON object" });
  }
  return Object.keys(translations).length > 0 ? { translations } : {};
}

function placesOf(source: YamlSource, templates: Map<string, string>, translations: string) {
  return (field: string): Place => {
    const template = templates.get(field);
    if (template) return startOf(template);
    const [first, locale, ...rest] = field.split(".");
    if (first === "translations" && locale) return startOf(`${translations}/${locale}.json`);
    return source.placeOf([first!, ...(locale === undefined ? [] : [locale]), ...rest]);
  };
}
