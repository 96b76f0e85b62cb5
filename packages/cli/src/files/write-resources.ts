// Resources of the service as the texts of files, by path. The order of members is fixed and defaults are left out, so
// that the same resource always gives the same text.
import {
  type AudienceFile,
  type FileResources,
  identifiers,
  isJsonObject,
  type JsonObject,
  type LayoutFile,
  type StepFile,
  type WorkflowFile,
} from "@tidings/contract";
import { extensionOf, isResourceName, toTemplateFile, writeYaml } from "@tidings/server/folder";
import { CliError } from "../failure.ts";

/** Texts by path. */
export type FileTexts = Map<string, string>;
/** By `<type>/<identifier>`; the resources that are one file each are under their names. */
export type ResourceTexts = Map<string, FileTexts>;

const schemaLine = (depth: number, kind: string): string =>
  `# yaml-language-server: $schema=${"../".repeat(depth)}.tidings/schema/${kind}.json\n`;

const controlOrder = ["type", "subject", "layoutId", "editorType", "rendererType", "amount", "unit", "cron", "body"];
const schemaOrder = ["$schema", "type", "title", "description", "required", "properties", "items", "enum"];

export function writeResources(resources: FileResources): ResourceTexts {
  const { workflows, layouts, integrations, topics, categories, audiences, brand, attention } = resources;
  const texts: ResourceTexts = new Map();
  for (const workflow of workflows ?? []) texts.set(`workflow/${workflow.workflowId}`, writeWorkflow(workflow));
  for (const layout of layouts ?? []) texts.set(`layout/${layout.layoutId}`, writeLayout(layout));
  for (const audience of audiences ?? []) texts.set(`audience/${audience.audienceId}`, writeAudience(audience));
  if (integrations) {
    const value = Object.fromEntries(integrations.map(({ identifier, ...rest }) => [identifier, rest]));
    const head = `${schemaLine(0, "integrations")}# Secrets are never in here: they are entered in the dashboard.\n`;
    texts.set("integrations", new Map([["integrations.yaml", head + writeYaml({ integrations: value })]]));
  }
  if (topics) {
    const value = Object.fromEntries(topics.map(({ key, name }) => [key, name]));
    texts.set("topics", new Map([["topics.yaml", schemaLine(0, "topics") + writeYaml({ topics: value })]]));
  }
  // An environment without categories gets no file: an empty one would delete those of another environment.
  if (categories && categories.length > 0) {
    const value = Object.fromEntries(categories.map(({ categoryId, ...rest }) => [categoryId, rest]));
    const head = `${schemaLine(0, "categories")}# In the order in which subscribers see them.\n`;
    texts.set("categories", new Map([["categories.yaml", head + writeYaml({ categories: value })]]));
  }
  if (brand) texts.set("brand", new Map([["brand.yaml", schemaLine(0, "brand") + writeYaml(brand)]]));
  if (attention) {
    const head = `${schemaLine(0, "attention")}# The first budget that is full decides what happens to a message.\n`;
    texts.set("attention", new Map([["attention.yaml", head + writeYaml(attention)]]));
  }
  return texts;
}

function requireName(id: string): string {
  if (!isResourceName(id))
    throw new CliError(`The service has the identifier ${JSON.stringify(id)}, which cannot name a file.`);
  return id;
}

const stepPattern = new RegExp(identifiers.stepId.pattern);

function writeWorkflow({ workflowId, steps, translations = {}, payloadSchema, ...settings }: WorkflowFile): FileTexts {
  const path = `workflows/${requireName(workflowId)}`;
  const texts: FileTexts = new Map();
  const written = steps.map((step) => {
    if (!stepPattern.test(step.stepId))
      throw new CliError(`The service has the step ${JSON.stringify(step.stepId)}, which cannot name a file.`);
    return writeStep(path, step, texts);
  });
  const value = {
    ...settings,
    ...(payloadSchema && { payloadSchema: orderSchema(payloadSchema) }),
    steps: written,
  };
  texts.set(`${path}/workflow.yaml`, schemaLine(2, "workflow") + writeYaml(value));
  addTranslations(texts, path, translations);
  return texts;
}

function writeStep(path: string, step: StepFile, texts: FileTexts): JsonObject {
  const { controlValues, ...rest } = step;
  if (!controlValues) return rest;
  const extension = extensionOf(step.type);
  const file = extension && toTemplateFile(`${step.stepId}.${step.type}`, extension, controlValues.body);
  if (file) texts.set(`${path}/${file.name}`, file.text);
  const { body, ...others } = controlValues;
  const values = orderMembers(file ? others : controlValues, controlOrder);
  return Object.keys(values).length > 0 ? { ...rest, controlValues: values } : rest;
}

function writeLayout({ layoutId, body, translations = {}, ...settings }: LayoutFile): FileTexts {
  const path = `layouts/${requireName(layoutId)}`;
  const file = toTemplateFile("layout", "html", body);
  const value = file || body === undefined ? settings : { ...settings, body };
  const texts: FileTexts = new Map([[`${path}/layout.yaml`, schemaLine(2, "layout") + writeYaml(value)]]);
  if (file) texts.set(`${path}/${file.name}`, file.text);
  addTranslations(texts, path, translations);
  return texts;
}

function writeAudience({ audienceId, name, description, rule }: AudienceFile): FileTexts {
  const value = { name, ...(description && { description }), rule };
  return new Map([[`audiences/${requireName(audienceId)}.yaml`, schemaLine(1, "audience") + writeYaml(value)]]);
}

function addTranslations(texts: FileTexts, path: string, translations: Record<string, JsonObject>): void {
  for (const [locale, content] of Object.entries(translations)) {
    if (!/^[a-zA-Z_]+$/.test(locale.replace(/\d/g, "")))
      throw new CliError(`The service has the locale ${JSON.stringify(locale)}, which cannot name a file.`);
    texts.set(`${path}/translations/${locale}.json`, `${JSON.stringify(sortMembers(content), null, 2)}\n`);
  }
}

/** Members of the list first, in its order; the others by name. */
function orderMembers(value: JsonObject, order: readonly string[]): JsonObject {
  const rank = (name: string) => (order.indexOf(name) + 1 || order.length + 1) - 1;
  const names = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortMembers(value[name])]),
  );
}

/** The database keeps no order of members; this is the one in which people write schemas. */
function orderSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(orderSchema);
  if (!isJsonObject(schema)) return schema;
  const ordered = orderMembers(schema, schemaOrder);
  return Object.fromEntries(Object.entries(ordered).map(([name, part]) => [name, orderSchema(part)]));
}
