// The control values of a step: what is refused when a workflow is saved (a value of the wrong JSON type, or one that the
// engine cannot carry out yet) and what is dropped (unknown members). What is merely incomplete or does not fit is
// stored and told as an issue: step-issues.ts.
import { type StepIn, type StepType, stepControlSchemas } from "@tidings/contract";
import type { FieldFaults } from "../failure.ts";
import { isObject } from "../lib/json.ts";
import { compileBody, faultsOf, mergeFaults } from "../validation.ts";

type JsonObject = Record<string, unknown>;

/**
 * THE LIST of control values that belong to the interface and that the engine does not carry out yet. Taking one in and
 * ignoring it would send what should have been skipped or held, so it is refused. An entry goes when the engine learns
 * it; `accepts` are the values that mean the same as leaving the control out.
 */
export const notSupportedYet: { control: string; accepts?: unknown[] }[] = [
  { control: "in_app.skip", accepts: [{}] },
  { control: "email.skip", accepts: [{}] },
  { control: "delay.skip", accepts: [{}] },
  { control: "digest.skip", accepts: [{}] },
  { control: "email.layoutId", accepts: [null] },
  { control: "email.editorType", accepts: ["html"] },
  { control: "delay.type", accepts: ["regular"] },
  { control: "delay.extendToSchedule", accepts: [false] },
  { control: "digest.type", accepts: ["regular"] },
  { control: "digest.lookBackWindow" },
  { control: "digest.extendToSchedule", accepts: [false] },
  { control: "layout.editorType", accepts: ["html"] },
];

const isAccepted = (value: unknown, accepts: unknown[]): boolean =>
  accepts.some((one) => (isObject(one) ? isObject(value) && Object.keys(value).length === 0 : one === value));

/** Clients fill in `block` by themselves; a body that is no block document is html whatever the editor is called. */
function isBlockDocument(body: unknown): boolean {
  if (typeof body !== "string" || !body.trimStart().startsWith("{")) return false;
  try {
    return isObject(JSON.parse(body));
  } catch {
    return false;
  }
}

/** Faults for the members of `values` that are on the list; `owner` is a step type or `layout`. */
export function unsupportedFaults(owner: StepType | "layout", values: JsonObject, path: string): FieldFaults {
  const faults: FieldFaults = {};
  for (const { control, accepts = [] } of notSupportedYet) {
    const [type, name] = control.split(".") as [string, string];
    const value = values[name];
    if (type !== owner || value === undefined || isAccepted(value, accepts)) continue;
    if (name === "editorType" && !isBlockDocument(values.body)) continue;
    const field = `${path}.${name}`;
    const what = typeof value === "string" ? `${field} ${value}` : field;
    faults[field] = { messages: [`${what} is not supported yet`], value };
  }
  return faults;
}

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

/** The same schema without what makes a value incomplete rather than wrong. */
function relax(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relax);
  if (schema === null || typeof schema !== "object") return schema;
  const { required, minLength, anyOf, additionalProperties, ...rest } = schema as JsonObject;
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
  const wrong = new Set(Object.keys(faults));
  const unsupported = Object.entries(unsupportedFaults(step.type, values, path)).filter(([field]) => !wrong.has(field));
  mergeFaults(faults, Object.fromEntries(unsupported));
  return { values, faults };
}
