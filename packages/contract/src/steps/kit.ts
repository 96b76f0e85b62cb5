// What the files of step types share: the shape of a definition, and the schemas that several of them use.
import type { JsonObject } from "../schema.ts";

/**
 * `channel`: sends a message; `wait`: continues later; `gate`: decides whether the later steps run; `custom`: a result
 * only.
 */
export type StepKind = "channel" | "wait" | "gate" | "custom";

type Property = { component: string; placeholder?: unknown; properties?: Record<string, Property> };
/** How an editor shows the control values. */
export type UiSchema = { group: string; properties: Record<string, Property> };

export type StepDefinition = {
  /** The name of the type in lists and sentences. */
  label: string;
  kind: StepKind;
  /** Place among the step types, wherever they are listed. */
  position: number;
  /** JSON Schema of the control values. */
  controls: JsonObject;
  /** Absent for a type that the interface has no group for. */
  ui?: UiSchema;
  /** JSON Schemas of what later steps read as `steps.<stepId>`. `payload`: the schema of the event's payload. */
  results: (step: { controlValues: JsonObject; payload: JsonObject }) => JsonObject;
};

export const defineStep = (definition: StepDefinition): StepDefinition => definition;

/** Steps of one workflow. */
export const maxSteps = 20;

export const timeUnits = ["seconds", "minutes", "hours", "days", "weeks", "months"] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** What a later step reads as `steps.<stepId>.status`. */
export const resultStatuses = ["sent", "delivered", "opened", "clicked", "bounced", "failed", "skipped"] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** The pattern marks an address: one that does not fit is an issue of the step, and the request is accepted. */
export const url = { type: "string", pattern: "^(\\{\\{|https?://|/)" };
export const text = { type: "string", minLength: 1 };
export const plainText = { type: "string" };
export const unit = { type: "string", enum: [...timeUnits] };
export const amount = { type: "integer", minimum: 1 };
export const flag = { type: "boolean", default: false };
/** A JSON Logic rule: when it evaluates to something truthy, the step is skipped. */
export const skip = { type: "object", additionalProperties: true };
export const editorType = { type: "string", enum: ["block", "html"], default: "block" };

export function controls(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    properties,
    ...rest,
  };
}

/** One of several kinds, distinguished by `type`; without `type`, the first one is meant. */
export function kinds(...branches: { type: string; properties: JsonObject; required: string[] }[]): JsonObject {
  return {
    type: "object",
    oneOf: branches.map(({ type, properties, required }, index) =>
      controls(
        { skip, type: { type: "string", enum: [type], ...(index === 0 && { default: type }) }, ...properties },
        { required: index === 0 ? required : ["type", ...required] },
      ),
    ),
  };
}

/** A placeholder without a value is left out. */
export const show = (component: string, placeholder?: unknown): Property =>
  placeholder === undefined ? { component } : { component, placeholder };
export const skipEditor = { skip: show("QUERY_EDITOR") };

export const result = {
  text: { type: "string" },
  number: { type: "number" },
  flag: { type: "boolean" },
};

export const closed = (properties: JsonObject): JsonObject => ({
  type: "object",
  additionalProperties: false,
  properties,
});

/** The result of every channel step; pipeline/rules/step-results.ts sets it. */
export const delivery = { status: { type: "string", enum: [...resultStatuses] }, sentAt: result.text };
