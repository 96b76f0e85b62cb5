// Names of what templates and conditions may read: those of the JSON Schema that the service has for the step, and the
// members of a sample payload. Pure.
import type { Values } from "./kit.ts";

const maxNames = 120;
const maxDepth = 4;

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that a JSON Schema names; an open object is a name itself. */
function* pathsOfSchema(schema: unknown, prefix: string[], withSecrets: boolean): Generator<string> {
  if (!withSecrets && isObject(schema) && schema["x-tidings-secret"] !== undefined) return;
  const properties = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0 || prefix.length === maxDepth) {
    if (prefix.length > 0) yield prefix.join(".");
    return;
  }
  for (const [name, member] of properties) yield* pathsOfSchema(member, [...prefix, name], withSecrets);
}

function* pathsOf(value: unknown, prefix: string[]): Generator<string> {
  const members = isObject(value) && prefix.length < maxDepth ? Object.entries(value) : [];
  if (members.length === 0) yield prefix.join(".");
  for (const [name, member] of members) if (/^\w+$/.test(name)) yield* pathsOf(member, [...prefix, name]);
}

/** Those of the payload and of earlier steps first: they differ from workflow to workflow. */
const roots = ["payload", "steps"];
const rank = (path: string): number => {
  const at = roots.indexOf(path.split(".")[0]!);
  return at < 0 ? roots.length : at;
};

/** `withSecrets`: also secret variables of the environment, which only HTTP requests may use. */
export function variableNames(
  variables: Values | null | undefined,
  payload: Values | null = null,
  { withSecrets = false } = {},
): string[] {
  const names = [...pathsOfSchema(variables, [], withSecrets), ...(payload ? pathsOf(payload, ["payload"]) : [])];
  return [...new Set(names)]
    .filter((name) => !roots.includes(name) && name !== "env")
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, maxNames);
}
