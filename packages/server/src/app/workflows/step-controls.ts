// The control values of a step: what is refused when a workflow is saved (a value of the wrong JSON type) and what is
// dropped (unknown members). What is merely incomplete or does not fit is stored and told as an issue: step-issues.ts.
import { type StepIn, type StepType, stepControlSchemas } from "@tidings/contract";
import type { FieldFaults } from "../../failure.ts";
import { compileBody, faultsOf } from "../../validation.ts";

type JsonObject = Record<string, unknown>;

type Branch = { properties: Record<string, JsonObject>; required: string[] };

/** The kinds a step type comes in; types without kinds have one. */
export function controlBranches(type: StepType): Branch[] {
  const schema = stepControlSchemas[type];
  const branches = (schema.oneOf as JsonObject[] | undefined) ?? [schema];
  return branches.map(({ properties, required }) => ({
    properties: properties as Branch["properties"],
    required: (required as string[] | undefined) ?? [],
  }));
}

/** The kind that these values mean: named by `type`, the first when it is absent. */
export function branchOf(type: StepType, values: JsonObject): Branch {
  const branches = controlBranches(type);
  const meant = branches.find(({ properties }) =>
    (properties.type?.enum as unknown[] | undefined)?.includes(values.type),
  );
  return meant ?? branches[0]!;
}

/** The same schema without what makes a value incomplete, or an address that leads nowhere, rather than wrong. */
function relax(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relax);
  if (schema === null || typeof schema !== "object") return schema;
  const { required, minLength, pattern, anyOf, additionalProperties, ...rest } = schema as JsonObject;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, relax(value)]));
}

/** Every control of every kind of the type, so that values of another kind keep their type too. */
function allControls(type: StepType): Record<string, JsonObject> {
  const branches = controlBranches(type).map((branch) => branch.properties);
  const kinds = branches.flatMap(({ type: kind }) => (kind?.enum as string[] | undefined) ?? []);
  const merged: Record<string, JsonObject> = Object.assign({}, ...branches);
  return kinds.length > 0 ? { ...merged, type: { type: "string", enum: kinds } } : merged;
}

const known = Object.fromEntries(
  (Object.keys(stepControlSchemas) as StepType[]).map((type) => {
    const properties = allControls(type);
    const check = compileBody({ type: "object", properties: relax(properties) as object });
    return [type, { names: Object.keys(properties), check }];
  }),
) as Record<StepType, { names: string[]; check: ReturnType<typeof compileBody> }>;

/** Keeps the members the step type knows. Answers faults under their path in the request. */
export function readControlValues(step: StepIn, path: string): { values: JsonObject; faults: FieldFaults } {
  const { names, check } = known[step.type];
  const given = step.controlValues ?? {};
  const values = Object.fromEntries(
    names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  const faults: FieldFaults = check(values) ? {} : faultsOf(check.errors ?? [], path);
  return { values, faults };
}
