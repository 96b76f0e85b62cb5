// The control values and filters of a step, checked when a workflow is saved: a value of the wrong JSON type is
// refused, unknown members are dropped. Values that are incomplete or do not fit are stored and reported as issues:
// issues/step-issues.ts.
import {
  type StepFilter,
  type StepFilterIn,
  type StepIn,
  type StepType,
  stepDefinitions,
  stepTypes,
} from "@tidings/contract";
import type { FieldFaults } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import { checkTemplate, RenderError } from "../../pipeline/render/liquid.ts";
import { compileBody, faultsOf } from "../../validation.ts";

type Branch = { properties: Record<string, JsonObject>; required: string[] };

/**
 * A step type with kinds (a regular or a timed digest) has one branch for each; the other types have a single branch.
 */
function controlBranches(type: StepType): Branch[] {
  const schema = stepDefinitions[type].controls;
  const branches = (schema.oneOf as JsonObject[] | undefined) ?? [schema];
  return branches.map(({ properties, required }) => ({
    properties: properties as Branch["properties"],
    required: (required as string[] | undefined) ?? [],
  }));
}

/** The branch that the `type` among the values names; the first when it is absent. */
export function branchOf(type: StepType, values: JsonObject): Branch {
  const branches = controlBranches(type);
  const named = branches.find(({ properties }) =>
    (properties.type?.enum as unknown[] | undefined)?.includes(values.type),
  );
  return named ?? branches[0]!;
}

/** The same schema with JSON types only: without the rules whose breach is an issue and not an error. */
function relax(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relax);
  if (schema === null || typeof schema !== "object") return schema;
  const { required, minLength, pattern, anyOf, additionalProperties, ...rest } = schema as JsonObject;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, relax(value)]));
}

/** The controls of all branches: values that belong to another branch are kept, and must have their JSON type too. */
function allControls(type: StepType): Record<string, JsonObject> {
  const branches = controlBranches(type).map((branch) => branch.properties);
  const kinds = branches.flatMap(({ type: kind }) => (kind?.enum as string[] | undefined) ?? []);
  const merged: Record<string, JsonObject> = Object.assign({}, ...branches);
  return kinds.length > 0 ? { ...merged, type: { type: "string", enum: kinds } } : merged;
}

const controlsByType = Object.fromEntries(
  stepTypes.map((type) => {
    const properties = allControls(type);
    const check = compileBody({ type: "object", properties: relax(properties) as object });
    return [type, { names: Object.keys(properties), check }];
  }),
) as Record<StepType, { names: string[]; check: ReturnType<typeof compileBody> }>;

/** The values without members that the step type does not have; errors are keyed by their path in the request. */
export function readControlValues(step: StepIn, path: string): { values: JsonObject; faults: FieldFaults } {
  const { names, check } = controlsByType[step.type];
  const given = step.controlValues ?? {};
  const values = Object.fromEntries(
    names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  const faults: FieldFaults = check(values) ? {} : faultsOf(check.errors ?? [], path);
  return { values, faults };
}

/**
 * Filters (of steps, and of integrations as `conditions`) with the members filled in that a group leaves out. A value
 * that is a template has to parse: one that fails only when an event arrives would skip the step without any error.
 */
export function readFilters(
  given: readonly StepFilterIn[],
  path: string,
): { filters: StepFilter[]; faults: FieldFaults } {
  const faults: FieldFaults = {};
  const filters = given.map(({ isNegated = false, type = "GROUP", value = "AND", children }, group): StepFilter => {
    for (const [index, part] of children.entries()) {
      const field = `${path}.${group}.children.${index}.value`;
      const fault = templateFault(part.value);
      if (fault) faults[field] = { messages: [`${field} is not a valid template: ${fault}`], value: part.value };
    }
    return { isNegated, type, value, children };
  });
  return { filters, faults };
}

function templateFault(template: string): string | null {
  try {
    checkTemplate(template, "text");
    return null;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return error.message;
  }
}
