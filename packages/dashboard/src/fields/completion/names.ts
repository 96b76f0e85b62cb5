// What a template of a field may use, as completion offers it.

export type Names = {
  /** Paths such as `payload.order`, those of the payload first. */
  variables: readonly string[];
  /** Short sample values, by path. */
  samples: Readonly<Record<string, string>>;
  /** Sample values, for the elements of lists that loops go through. */
  scope: Readonly<Record<string, unknown>>;
  /** The payload schema; null where the workflow has none. */
  schema: object | null;
};

export const noNames: Names = { variables: [], samples: {}, scope: {}, schema: null };

const maxDepth = 4;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a dotted path. */
export const valueIn = (scope: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), scope);

/** The paths of a value's members with short texts of them, below `prefix`. */
export function* samplesIn(value: unknown, prefix: string, depth = 0): Generator<[path: string, sample: string]> {
  const members = isObject(value) && depth < maxDepth ? Object.entries(value) : [];
  if (members.length === 0) {
    if (value !== undefined) yield [prefix, shortOf(value)];
    return;
  }
  for (const [name, member] of members)
    if (/^[\w-]+$/.test(name)) yield* samplesIn(member, prefix === "" ? name : `${prefix}.${name}`, depth + 1);
}

const maxSampleLength = 40;

function shortOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxSampleLength ? `${text.slice(0, maxSampleLength - 1)}…` : text;
}
