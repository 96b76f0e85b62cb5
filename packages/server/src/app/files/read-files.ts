// Resources of a request, read into what would be stored. Every error is collected and named by its place in the
// request, such as `resources.workflows.3.steps.0.controlValues.subject`.
import type {
  AttentionBudget,
  AudienceFile,
  BrandFile,
  CategoryFile,
  FileResources,
  IntegrationFile,
  LayoutFile,
  TopicFile,
} from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { Failure, type FieldFaults, invalid } from "../../failure.ts";
import { pauseIfDue } from "../../lib/load/pauses.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import { readBudgets } from "../attention/read-budgets.ts";
import { readBrand } from "../brand/read-brand.ts";
import { readFilters } from "../workflows/step-controls.ts";
import { checkAudienceRule, readCategoryFile, toFilterFile } from "./file-forms.ts";
import { isBuiltIn } from "./file-state.ts";
import { type ReadLayout, type ReadWorkflow, readLayoutFile, readWorkflowFile } from "./workflow-files.ts";

/** A list that the request does not have is undefined: it is left alone. */
export type ReadFiles = {
  workflows?: ReadWorkflow[];
  layouts?: ReadLayout[];
  integrations?: IntegrationFile[];
  topics?: TopicFile[];
  categories?: CategoryFile[];
  audiences?: AudienceFile[];
  brand?: BrandFile;
  budgets?: AttentionBudget[];
};

type StoredSteps = ReadonlyMap<string, StoredStep[]>;

/** `storedSteps`: of the workflows that exist, by identifier. A step that stays keeps its internal id. */
export async function readFiles(
  ctx: Pick<Ctx, "newId">,
  resources: FileResources,
  storedSteps: StoredSteps,
): Promise<ReadFiles> {
  const faults: FieldFaults = {};
  const read: ReadFiles = {};
  if (resources.workflows) {
    read.workflows = [];
    for (const [index, file] of resources.workflows.entries()) {
      await pauseIfDue();
      const path = `resources.workflows.${index}`;
      const one = collect(faults, path, () => readWorkflowFile(ctx, file, storedSteps.get(file.workflowId) ?? []));
      if (one) read.workflows.push(one);
    }
  }
  read.layouts = resources.layouts?.flatMap(
    (file, index) => collect(faults, `resources.layouts.${index}`, () => readLayoutFile(file)) ?? [],
  );
  read.integrations = resources.integrations?.flatMap(
    (file, index) => collect(faults, `resources.integrations.${index}`, () => checkIntegrationFile(file)) ?? [],
  );
  read.topics = resources.topics?.map(({ key, name }) => ({ key: key.trim(), name }));
  read.categories = resources.categories?.map(readCategoryFile);
  read.audiences = resources.audiences?.flatMap(
    (file, index) => collect(faults, `resources.audiences.${index}`, () => checkAudienceRule(file)) ?? [],
  );
  const { brand, attention } = resources;
  if (brand) read.brand = collect(faults, "resources.brand", () => readBrand(brand));
  if (attention) read.budgets = collect(faults, "resources.attention", () => readBudgets(attention.budgets));
  addDuplicates(faults, "workflows", "workflowId", resources.workflows);
  addDuplicates(faults, "layouts", "layoutId", resources.layouts);
  addDuplicates(faults, "integrations", "identifier", resources.integrations);
  addDuplicates(faults, "topics", "key", read.topics);
  addDuplicates(faults, "categories", "categoryId", resources.categories);
  addDuplicates(faults, "audiences", "audienceId", resources.audiences);
  addSecondDefault(faults, resources.layouts ?? []);
  addSecondPrimary(faults, resources.integrations ?? []);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return read;
}

/** Runs a check; its errors get the path of the resource in front. */
function collect<T>(faults: FieldFaults, path: string, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "VALIDATION_ERROR") throw error;
    for (const [field, { messages, value }] of Object.entries(error.extra.errors as FieldFaults)) {
      faults[`${path}.${field}`] = {
        messages: messages.map((text) => (text.startsWith(field) ? `${path}.${text}` : text)),
        ...(value !== undefined && { value }),
      };
    }
    return undefined;
  }
}

function checkIntegrationFile(file: IntegrationFile): IntegrationFile {
  const channel = findProvider(file.providerId)?.channel;
  const faults: FieldFaults = {};
  if (channel !== file.channel)
    faults.channel = {
      messages: [`channel must be ${channel} for provider ${file.providerId}`],
      value: file.channel,
    };
  if (isBuiltIn({ identifier: file.identifier, provider_id: file.providerId }))
    faults.identifier = {
      messages: [
        "identifier is that of an integration that every environment has from the start: files do not have it",
      ],
    };
  if (file.primary && file.channel !== "email" && file.channel !== "sms")
    faults.primary = { messages: [`primary is not known to the channel ${file.channel}, only to email and sms`] };
  if (file.primary && (file.active === false || (file.conditions ?? []).length > 0))
    faults.primary = { messages: ["primary needs an active integration without conditions"] };
  const { filters, faults: filterFaults } = readFilters(file.conditions ?? [], "conditions");
  Object.assign(faults, filterFaults);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return file.conditions ? { ...file, conditions: filters.map(toFilterFile) } : file;
}

function addDuplicates<Name extends string>(
  faults: FieldFaults,
  list: keyof FileResources,
  name: Name,
  files: readonly Record<Name, string>[] = [],
): void {
  const seen = new Set<string>();
  for (const [index, file] of files.entries()) {
    const field = `resources.${list}.${index}.${name}`;
    if (seen.has(file[name])) faults[field] = { messages: [`${field} is given twice`], value: file[name] };
    seen.add(file[name]);
  }
}

function addSecondDefault(faults: FieldFaults, layouts: readonly LayoutFile[]): void {
  const [, second] = [...layouts.entries()].filter(([, { isDefault }]) => isDefault);
  const field = second && `resources.layouts.${second[0]}.isDefault`;
  if (field) faults[field] = { messages: [`${field}: another layout is the default already`] };
}

function addSecondPrimary(faults: FieldFaults, integrations: readonly IntegrationFile[]): void {
  const seen = new Set<string>();
  for (const [index, { primary, channel }] of integrations.entries()) {
    const field = `resources.integrations.${index}.primary`;
    if (primary && seen.has(channel))
      faults[field] = { messages: [`${field}: ${channel} has another primary already`] };
    if (primary) seen.add(channel);
  }
}
