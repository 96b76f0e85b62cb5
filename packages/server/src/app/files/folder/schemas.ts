// JSON Schemas of the YAML files: those of the contract, without what the place of a file already says (its identifier)
// and with what a file may leave to another one.
import {
  AttentionFile,
  AudienceFile,
  BrandFile,
  CategoryFile,
  IntegrationFile,
  identifiers,
  type JsonObject,
  LayoutFile,
  stepDefinitions,
  TopicFile,
  WorkflowFile,
} from "@tidings/contract";

type Schema = JsonObject & { properties: JsonObject; required?: string[] };

function without(schema: unknown, ...names: string[]): Schema {
  const { properties, required = [], ...rest } = schema as Schema;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter((name) => !names.includes(name)),
  };
}

const map = (items: unknown, pattern?: string): JsonObject => ({
  type: "object",
  additionalProperties: items,
  ...(pattern && { propertyNames: { pattern } }),
});

export const fileSchemas: Record<FileKind, JsonObject> = {
  project: {
    type: "object",
    additionalProperties: false,
    required: ["version"],
    properties: {
      version: { const: 1, description: "Of the format of these files" },
      source: { type: "string", description: "The environment that the files were pulled from" },
    },
  },
  workflow: without(WorkflowFile, "workflowId", "translations"),
  layout: without(LayoutFile, "layoutId", "translations"),
  integrations: {
    type: "object",
    additionalProperties: false,
    required: ["integrations"],
    properties: { integrations: map(without(IntegrationFile, "identifier"), "^[a-zA-Z0-9_:.-]+$") },
  },
  topics: {
    type: "object",
    additionalProperties: false,
    required: ["topics"],
    properties: { topics: map((TopicFile as unknown as Schema).properties.name) },
  },
  categories: {
    type: "object",
    additionalProperties: false,
    required: ["categories"],
    properties: { categories: map(without(CategoryFile, "categoryId"), identifiers.workflowId.pattern) },
  },
  audience: without(AudienceFile, "audienceId"),
  brand: without(BrandFile),
  attention: without(AttentionFile),
};

export const fileKinds = [
  "project",
  "workflow",
  "layout",
  "integrations",
  "topics",
  "categories",
  "audience",
  "brand",
  "attention",
] as const;
export type FileKind = (typeof fileKinds)[number];

/** For editors: also the controls of each step type, which the checks of the service know. */
export function editorSchema(kind: FileKind): JsonObject {
  const schema = structuredClone(fileSchemas[kind]) as Schema;
  if (kind === "workflow") {
    const { items } = schema.properties.steps as { items: JsonObject };
    items.allOf = Object.entries(stepDefinitions).map(([type, { controls }]) => ({
      if: { properties: { type: { const: type } } },
      // The text is in its own file.
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { properties: { controlValues: withoutRequired(controls) } },
    }));
  }
  return { $schema: "http://json-schema.org/draft-07/schema#", title: `Tidings: ${kind}`, ...schema };
}

function withoutRequired(schema: JsonObject): JsonObject {
  const { required, anyOf, oneOf, ...rest } = schema;
  return oneOf ? { ...rest, anyOf: (oneOf as JsonObject[]).map(withoutRequired) } : rest;
}
