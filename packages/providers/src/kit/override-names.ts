// Names of override members. An event names the members of a provider's request as its SDK does (`ipPoolName`,
// `messagingServiceSid`), the provider's API as its documentation does (`ip_pool_name`, `MessagingServiceSid`). An
// adapter lists the members that it knows by their names in the API; a member that differs only in case, underscores or
// hyphens gets the listed name. Members that are not listed stay unchanged, and so does what is inside a listed
// member that has no listed members: custom data must arrive unchanged.

import { isJsonObject, type JsonObject } from "@tidings/contract";

export type OverrideNames = {
  /**
   * Names in the API, dotted where a member is inside another: `asm.group_id`. The items of a list share their names.
   */
  readonly members: readonly string[];
  /** What only the SDK has, under any spelling of its name, with the members of the API that replace it. */
  readonly moved?: Readonly<Record<string, (value: unknown) => JsonObject>>;
};

type Known = {
  name: string;
  inside: Names;
};
type Names = Map<string, Known>;

/** The same for every spelling of a name; a first letter that only the API has in upper case makes no difference. */
const fold = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

function readNames(members: readonly string[]): Names {
  const root: Names = new Map();
  for (const path of members) {
    let names = root;
    for (const name of path.split(".")) {
      const known = names.get(fold(name)) ?? { name, inside: new Map() };
      names.set(fold(name), known);
      names = known.inside;
    }
  }
  return root;
}

const cache = new WeakMap<OverrideNames, Names>();

/**
 * The members of an override under the names of the API. A name that would collide with another member is left
 * unchanged.
 */
export function toApiNames(extra: JsonObject, given: OverrideNames): JsonObject {
  const names = cache.get(given) ?? readNames(given.members);
  cache.set(given, names);
  const moved = new Map(Object.entries(given.moved ?? {}).map(([name, move]) => [fold(name), move]));
  const isMoved = (name: string): boolean => moved.has(fold(name)) && names.get(fold(name))?.name !== name;
  const entries = Object.entries(extra);
  const layers = entries.flatMap(([name, value]) => (isMoved(name) ? [moved.get(fold(name))?.(value) ?? {}] : []));
  const kept = Object.fromEntries(entries.filter(([name]) => !isMoved(name)));
  return [...layers, kept].map((layer) => renamed(layer, names) as JsonObject).reduce(together, {});
}

function renamed(value: unknown, names: Names): unknown {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (!isJsonObject(value)) return value;
  const counts = new Map<string, number>();
  for (const name of Object.keys(value)) counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1);
  // fromEntries defines members, so that one called __proto__ stays a member.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const known = names.get(fold(name));
      if (!known || (name !== known.name && counts.get(fold(name)) !== 1)) return [name, item];
      return [known.name, renamed(item, known.inside)];
    }),
  );
}

/** Moved and given members merged; lists are merged item by item, because both may set members of the same item. */
const together = (under: JsonObject, over: JsonObject): JsonObject => joined(under, over) as JsonObject;

function joined(under: unknown, over: unknown): unknown {
  if (Array.isArray(under) && Array.isArray(over)) {
    const length = Math.max(under.length, over.length);
    return Array.from({ length }, (_, index) => joined(under[index], over[index]));
  }
  if (!isJsonObject(under) || !isJsonObject(over)) return over === undefined ? under : over;
  const all = new Map(Object.entries(under));
  for (const [name, item] of Object.entries(over)) all.set(name, joined(all.get(name), item));
  return Object.fromEntries(all);
}
