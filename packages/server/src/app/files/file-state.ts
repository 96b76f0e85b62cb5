// What an environment has, in the form of files, with the fingerprint of each resource and of all of them. Twelve
// queries, however many resources there are.
import { type AttentionFile, type BrandFile, type FileResources, inAppProviderId, maxFiles } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import type { AudienceRow } from "../../store/audiences/audiences.ts";
import { readPublishable } from "../../store/environments/publishing.ts";
import { type IntegrationRow, listIntegrations } from "../../store/integrations/integrations.ts";
import type { CategoryRow, CategoryWorkflow } from "../../store/subscribers/categories.ts";
import { findTopicsByKeys, listNamedTopics, type TopicRow } from "../../store/topics/topics.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { TranslationRow } from "../../store/workflows/translations.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { builtIns } from "../environments/environment-setup.ts";
import { unseal } from "../integrations/credentials.ts";
import {
  attentionKey,
  brandKey,
  fingerprintOf,
  keyOf,
  type Texts,
  toAttentionFile,
  toAudienceFile,
  toCategoryFile,
  toIntegrationFile,
  toLayoutFile,
  toTopicFile,
  toWorkflowFile,
} from "./file-forms.ts";

type Stored<Row, File> = { row: Row; file: File };
type FilesOf<Name extends Exclude<keyof FileResources, "brand" | "attention">> = NonNullable<
  FileResources[Name]
>[number];

export type FileState = {
  workflows: Stored<WorkflowRow, FilesOf<"workflows">>[];
  layouts: Stored<LayoutRow, FilesOf<"layouts">>[];
  integrations: Stored<IntegrationRow, FilesOf<"integrations">>[];
  /** Null where there are too many: then files have none. */
  topics: Stored<TopicRow, FilesOf<"topics">>[] | null;
  /** Workflows of a bridge that are in a category; no file has them. */
  bridgedMembers: CategoryWorkflow[];
  /** In their order. */
  categories: Stored<CategoryRow, FilesOf<"categories">>[];
  audiences: Stored<AudienceRow, FilesOf<"audiences">>[];
  /** Ids of fixed audiences, which no file has. */
  fixedAudiences: string[];
  /** Ids of the audiences of broadcasts that are not finished. */
  broadcastAudiences: string[];
  /** Null: none is set. */
  brand: BrandFile | null;
  attention: AttentionFile | null;
  /** The topics that a request names and that exist, with or without a name. */
  namedTopics: TopicRow[];
  /** Also integrations that are hidden or built in. */
  allIntegrations: IntegrationRow[];
  fingerprints: Record<string, string>;
  fingerprint: string;
};

/**
 * Every environment has these from the start, and which of them are active depends on its type: they are in no file.
 */
export const isBuiltIn = ({ identifier, provider_id }: Pick<IntegrationRow, "identifier" | "provider_id">): boolean =>
  provider_id === inAppProviderId ||
  (identifier === `${provider_id}-default` && builtIns.some(({ providerId }) => providerId === provider_id));

function requireAtMost(type: keyof typeof maxFiles, count: number): void {
  if (count > maxFiles[type])
    throw failure("TOO_MANY_FILES", { type, count: String(count), limit: String(maxFiles[type]) });
}

const textsBy = (translations: TranslationRow[]): ((type: string, id: string) => Texts) => {
  const byOwner = Map.groupBy(translations, (row) => `${row.resource_type} ${row.resource_id}`);
  return (type, id) =>
    Object.fromEntries((byOwner.get(`${type} ${id}`) ?? []).map((row) => [row.locale, row.content as JsonObject]));
};

/** `lock`: when the environment is about to be changed. */
export async function readState(
  ctx: Ctx,
  environmentId: string,
  options: { lock: boolean; topicKeys?: string[] },
): Promise<FileState> {
  const publishable = await readPublishable(ctx.db, environmentId, options);
  const { workflows: all, layouts, translations, categories, audiences, brand, attention } = publishable;
  const { bridgedMembers, fixedAudiences, broadcastAudiences } = publishable;
  // Workflows that the customer's code defines (the bridge) are in no file.
  const workflows = all.filter((row) => row.bridge_url === null);
  const allIntegrations = await listIntegrations(ctx.db, environmentId);
  const namedTopics = await findTopicsByKeys(ctx.db, environmentId, options.topicKeys ?? []);
  const topics = await listNamedTopics(ctx.db, environmentId, maxFiles.topics + 1);
  const integrations = allIntegrations.filter((row) => !row.is_hidden && !isBuiltIn(row));
  requireAtMost("workflows", workflows.length);
  requireAtMost("layouts", layouts.length);
  requireAtMost("integrations", integrations.length);
  const textsOf = textsBy(translations);
  const state = {
    workflows: await mapWithPauses(workflows, (row) => ({
      row,
      file: toWorkflowFile(row, layouts, textsOf("workflow", row.id)),
    })),
    layouts: byId(
      layouts.map((row) => ({ row, file: toLayoutFile(row, textsOf("layout", row.id)) })),
      ({ row }) => row.layout_id,
    ),
    integrations: byId(
      integrations.map((row) => ({
        row,
        file: toIntegrationFile(row, unseal(ctx.secrets, row.configurations)),
      })),
      ({ row }) => row.identifier,
    ),
    categories: categories.map((row) => ({ row, file: toCategoryFile(row) })),
    bridgedMembers,
    audiences: audiences.map((row) => ({ row, file: toAudienceFile(row) })),
    fixedAudiences,
    broadcastAudiences,
    brand,
    attention: toAttentionFile(attention),
    topics: topics.length > maxFiles.topics ? null : topics.map((row) => ({ row, file: toTopicFile(row) })),
  };
  const fingerprints: Record<string, string> = {};
  for (const { row, file } of state.workflows)
    fingerprints[keyOf("workflow", row.workflow_id)] = await pausedFingerprint(file);
  for (const { row, file } of state.layouts) fingerprints[keyOf("layout", row.layout_id)] = fingerprintOf(file);
  for (const { row, file } of state.integrations)
    fingerprints[keyOf("integration", row.identifier)] = fingerprintOf(file);
  for (const { row, file } of state.topics ?? []) fingerprints[keyOf("topic", row.key)] = fingerprintOf(file);
  for (const { row, file } of state.categories) fingerprints[keyOf("category", row.category_id)] = fingerprintOf(file);
  for (const { row, file } of state.audiences) fingerprints[keyOf("audience", row.audience_id)] = fingerprintOf(file);
  if (state.brand) fingerprints[brandKey] = fingerprintOf(state.brand);
  if (state.attention) fingerprints[attentionKey] = fingerprintOf(state.attention);
  return { ...state, namedTopics, allIntegrations, fingerprints, fingerprint: fingerprintOf(fingerprints) };
}

const pausedFingerprint = async (file: object): Promise<string> => (await mapWithPauses([file], fingerprintOf))[0]!;

const byId = <T>(items: T[], idOf: (item: T) => string): T[] => items.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

export const toResources = (state: FileState): FileResources => ({
  workflows: state.workflows.map(({ file }) => file),
  layouts: state.layouts.map(({ file }) => file),
  integrations: state.integrations.map(({ file }) => file),
  ...(state.topics && { topics: state.topics.map(({ file }) => file) }),
  categories: state.categories.map(({ file }) => file),
  audiences: state.audiences.map(({ file }) => file),
  ...(state.brand && { brand: state.brand }),
  ...(state.attention && { attention: state.attention }),
});
