// Stored records as files have them: identifiers instead of internal ids, no secrets, and every default left out, so
// that equal meaning has one form. What is compared, exported and fingerprinted is this form. Pure.
import { createHash } from "node:crypto";
import type {
  AttentionBudget,
  AttentionFile,
  AudienceFile,
  CategoryFile,
  FileType,
  IntegrationFile,
  LayoutFile,
  StepFile,
  StepFilter,
  StepFilterIn,
  TopicFile,
  WorkflowFile,
  WorkflowPreference,
} from "@tidings/contract";
import { invalid } from "../../failure.ts";
import { checkRule } from "../../lib/audiences/rule-check.ts";
import { canonicalJson, definedMembers, type JsonObject } from "../../lib/json.ts";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { CategoryRow } from "../../store/subscribers/categories.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { StoredStep, WorkflowContent } from "../../store/workflows/workflows.ts";
import { withoutDefaults as withoutBudgetDefaults } from "../attention/read-budgets.ts";
import { toPortable } from "../environments/environment-diff.ts";

type LayoutNames = readonly Pick<LayoutRow, "id" | "layout_id">[];
export type Texts = Record<string, JsonObject>;

/** The value, unless it is the default. */
const unless = <T>(value: T, byDefault: unknown): T | undefined => (value === byDefault ? undefined : value);

const filled = <T extends object>(value: T): T | undefined => (Object.keys(value).length > 0 ? value : undefined);

export const fingerprintOf = (value: unknown): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

/** How fingerprints and changes name a resource. */
export const keyOf = (type: FileType, id: string): string => `${type}/${id}`;

/** An environment has one brand. */
export const brandKey = keyOf("brand", "brand");
/** And one attention budget. */
export const attentionKey = keyOf("attention", "attention");

export function toWorkflowFile(
  content: Omit<
    WorkflowContent,
    "id" | "origin" | "last_published_at" | "last_published_by" | "updated_at" | "updated_by"
  >,
  layouts: LayoutNames,
  texts: Texts,
): WorkflowFile {
  return definedMembers({
    workflowId: content.workflow_id,
    name: content.name,
    description: content.description || undefined,
    tags: filled(content.tags),
    active: unless(content.active, true),
    severity: unless(content.severity, "none"),
    outsideSchedule: unless(content.outside_schedule, "hold"),
    onUnknownOutcome: unless(content.on_unknown_outcome, "may_duplicate"),
    isTranslationEnabled: unless(content.is_translation_enabled, false),
    searchKeys: filled(content.search_keys),
    objectives: content.objectives ?? undefined,
    categoryId: content.category_id ?? undefined,
    isCommercial: unless(content.is_commercial, false),
    messageClass: unless(content.message_class, "transactional"),
    priority: unless(content.priority, "normal"),
    preferences: filled(
      definedMembers({
        workflow: filled(withoutDefaults(content.preferences_default)),
        user: content.preferences_user ?? undefined,
      }),
    ),
    validatePayload: unless(content.validate_payload, false),
    payloadSchema: content.payload_schema ?? undefined,
    steps: content.steps.map((step) => toStepFile(step, layouts)),
    translations: filled(texts),
  });
}

function toStepFile(step: StoredStep, layouts: LayoutNames): StepFile {
  const { stepId, name, type, active, shouldStopOnFail, deadlineSeconds, arm, filters, controlValues } = toPortable(
    step,
    layouts,
  );
  return definedMembers({
    stepId,
    name: unless(name, stepId),
    type,
    active: unless(active, true),
    shouldStopOnFail: unless(shouldStopOnFail, false),
    deadlineSeconds,
    arm,
    filters: filters && filled(filters.map(toFilterFile)),
    controlValues: filled(controlValues),
  });
}

export const toFilterFile = ({ isNegated, type, value, children }: StepFilter): StepFilterIn =>
  definedMembers({
    isNegated: unless(isNegated, false),
    type: unless(type, "GROUP"),
    value: unless(value, "AND"),
    children,
  });

/**
 * The preferences of a workflow's definition are the weakest level: what they leave out is allowed. So a member that
 * only says this decides nothing.
 */
export function withoutDefaults({ all, channels }: WorkflowPreference): WorkflowPreference {
  const isEnabled = all?.enabled ?? true;
  const deciding = Object.entries(channels ?? {}).filter(([, choice]) => (choice?.enabled ?? isEnabled) !== isEnabled);
  return definedMembers({
    all: filled(definedMembers({ enabled: unless(isEnabled, true), readOnly: unless(all?.readOnly ?? false, false) })),
    channels: filled(Object.fromEntries(deciding)),
  });
}

export type LayoutContent = Pick<
  LayoutRow,
  "layout_id" | "name" | "is_default" | "is_translation_enabled" | "control_values"
>;

export const toLayoutFile = (row: LayoutContent, texts: Texts): LayoutFile =>
  definedMembers({
    layoutId: row.layout_id,
    name: row.name,
    isDefault: unless(row.is_default, false),
    isTranslationEnabled: unless(row.is_translation_enabled, false),
    editorType: unless(row.control_values.email?.editorType ?? "html", "html"),
    body: row.control_values.email?.body,
    translations: filled(texts),
  });

type IntegrationContent = Pick<
  IntegrationRow,
  "identifier" | "name" | "provider_id" | "channel" | "active" | "is_primary" | "conditions"
>;

/** `configurations`: unsealed. The signing key among them is a secret. */
export function toIntegrationFile(row: IntegrationContent, configurations: JsonObject): IntegrationFile {
  const { inboundWebhookSigningKey, ...open } = configurations;
  return definedMembers({
    identifier: row.identifier,
    name: row.name,
    providerId: row.provider_id as IntegrationFile["providerId"],
    channel: row.channel,
    active: unless(row.active, true),
    primary: unless(row.is_primary, false),
    conditions: filled(row.conditions.map(toFilterFile)),
    configurations: filled(definedMembers(open)) as IntegrationFile["configurations"],
  });
}

export const toTopicFile = ({ key, name }: { key: string; name: string | null }): TopicFile => ({
  key,
  name: name ?? "",
});

type CategoryContent = Pick<CategoryRow, "category_id" | "name" | "description" | "is_required" | "channels">;

/** Its place in the list is its order. */
export const toCategoryFile = (row: CategoryContent): CategoryFile =>
  definedMembers({
    categoryId: row.category_id,
    name: row.name,
    description: row.description || undefined,
    required: unless(row.is_required, false),
    channels: filled(row.channels),
  });

/** As it would be stored and exported. */
export const readCategoryFile = ({
  categoryId,
  name,
  description = "",
  required = false,
  channels = {},
}: CategoryFile) =>
  toCategoryFile({
    category_id: categoryId,
    name: name.trim(),
    description: description.trim(),
    is_required: required,
    channels,
  });

export const toAudienceFile = (row: Pick<AudienceRow, "audience_id" | "name" | "description" | "rule">): AudienceFile =>
  definedMembers({
    audienceId: row.audience_id,
    name: row.name,
    description: row.description || undefined,
    rule: row.rule ?? {},
  });

/** As it would be stored and exported. */
export const readAudienceFile = ({ audienceId, name, description = "", rule }: AudienceFile): AudienceFile =>
  toAudienceFile({ audience_id: audienceId, name: name.trim(), description: description.trim(), rule });

/** As it would be stored. Whether what it names exists is not checked here. */
export function checkAudienceRule(file: AudienceFile): AudienceFile {
  const { faults } = checkRule(file.rule);
  if (faults.length > 0) throw invalid({ rule: { messages: faults.map((fault) => `rule ${fault}`) } });
  return readAudienceFile(file);
}

/** Null: the environment has no budget, and no file for it. */
export const toAttentionFile = (budgets: AttentionBudget[]): AttentionFile | null =>
  budgets.length > 0 ? { budgets: budgets.map(withoutBudgetDefaults) } : null;
