// The words on the wire. Inside the service, in the database and in the contract stand neutral words (`svc-cloud`,
// `chatapp_user`); programs written for the peer API check answers against that API's own. With TIDINGS_VOCABULARY=novu
// the edge exchanges them in both directions, so that such a program needs another base address and nothing else.
//
// A word is exchanged where the contract's schemas put one and nowhere else: what callers write (payload, data, control
// values) is an open object in the schemas and is never looked into. The exchange is its own inverse, so nothing that
// comes in can go out as something else. Only what the peer's sets have no word for at all is lost on its way out.
import { addedProviderIds, type Operation } from "@tidings/contract";
import type { Config } from "../config.ts";

const pairs = [
  ["svc-cloud", "novu-cloud"],
  ["svc-cloud-v1", "novu-cloud-v1"],
  ["svc", "novu"],
  ["svc-email", "novu-email"],
  ["svc-sms", "novu-sms"],
  ["svc-slack", "novu-slack"],
  ["chatapp_channel", "slack_channel"],
  ["chatapp_user", "slack_user"],
  ["teamsapp_channel", "ms_teams_channel"],
  ["teamsapp_user", "ms_teams_user"],
] as const;

/**
 * Sets with words of their own, by title. What is published has types in the peer API's description that were meant for
 * something else; they are taken one for one, so that none is lost (docs/decisions/0004-sdk.md). Programs that talk to the
 * API without the SDK say `workflow` and `layout`: requests may use either.
 */
const resourceTypes = [
  ["workflow", "REGULAR"],
  ["layout", "BRIDGE"],
  ["step", "ECHO"],
] as const;

type Words = ReadonlyMap<string, string>;

const bothWays = (list: readonly (readonly [string, string])[]): Words =>
  new Map(list.flatMap(([neutral, peer]) => [[neutral, peer] as const, [peer, neutral] as const]));

const other = bothWays(pairs);
const neutralTypes: ReadonlySet<string> = new Set(resourceTypes.map(([neutral]) => neutral));
const wordsOfTitle = new Map<unknown, Words>([
  ["ResourceType", bothWays(resourceTypes)],
  ["PublishedType", bothWays(resourceTypes)],
]);

/**
 * Providers that the peer API does not have, in answers where its clients check against a closed set. A subscriber's
 * entry for one of them is left out; what happened through one is shown as the provider that comes nearest.
 */
const unheardOf: ReadonlySet<unknown> = new Set(addedProviderIds);
const nearest = "push-webhook";
const closedEntries = "ChannelSettings";
const closedRecords = new Set<unknown>(["Job", "ExecutionDetail"]);

/** Members that carry a word although their schema is no closed set; every set that lists a word carries one anyway. */
const wordMembers = new Set(["providerId", "origin"]);

const exchange = (words: Words, word: string): string => words.get(word) ?? word;

type Schema = Record<string, unknown>;
type Json = unknown;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where words stand in a value: here, in named members, in all items of a list, in all other members of a map. */
type Places = {
  titles: ReadonlySet<unknown>;
  words: Words | null;
  members: Map<string, Places>;
  items: Places | null;
  rest: Places | null;
};

/** A union is one place with the words of all its branches: exchanged twice, a word would be the old one again. */
const branchesOf = (schema: Schema): Schema[] => [
  schema,
  ...["anyOf", "oneOf", "allOf"].flatMap((name) => ((schema[name] as Schema[]) ?? []).flatMap(branchesOf)),
];

function placesIn(schemas: Schema[], name: string): Places | null {
  const branches = schemas.flatMap(branchesOf);
  const listed = branches.flatMap((branch) => [...((branch.enum as unknown[]) ?? []), branch.const]);
  const isText = branches.some((branch) => [branch.type].flat().includes("string"));
  const isWord = listed.some((value) => other.has(value as string)) || (wordMembers.has(name) && isText);
  const titles = new Set(branches.map(({ title }) => title));
  const own = [...titles].map((title) => wordsOfTitle.get(title)).find((words) => words !== undefined);
  const words = own ?? (isWord ? other : null);

  const members = new Map<string, Places>();
  const properties = branches.flatMap((branch) => Object.entries((branch.properties as Record<string, Schema>) ?? {}));
  for (const [member, group] of Map.groupBy(properties, ([member]) => member)) {
    const places = placesIn(
      group.map(([, schema]) => schema),
      member,
    );
    if (places) members.set(member, places);
  }
  const below = (schemas: unknown[], name: string) => {
    const described = schemas.filter(isObject);
    return described.length > 0 ? placesIn(described, name) : null;
  };
  const items = below(
    branches.map((branch) => branch.items),
    name,
  );
  const rest = below(
    branches.flatMap((branch) => [
      branch.additionalProperties,
      ...Object.values((branch.patternProperties as Schema) ?? {}),
    ]),
    "",
  );
  return words || members.size > 0 || items || rest ? { titles, words, members, items, rest } : null;
}

/** The places of the words in values of a schema; null when there are none. */
export const placesOf = (schema: object | undefined): Places | null =>
  schema ? placesIn([schema as Schema], "") : null;

/** A copy of the value with its words exchanged; what holds none is the value itself. Any value is taken. */
export const exchangeAt = (places: Places | null, value: Json): Json => exchangeIn(places, value, exchange);

/** The same for what a caller sent: in the sets with words of their own, a neutral word stays as it is. */
export const readAt = (places: Places | null, value: Json): Json =>
  exchangeIn(places, value, (words, word) =>
    words !== other && neutralTypes.has(word) ? word : exchange(words, word),
  );

function exchangeIn(places: Places | null, value: Json, change: (words: Words, word: string) => string): Json {
  if (places === null) return value;
  if (typeof value === "string") return places.words ? change(places.words, value) : value;
  if (Array.isArray(value)) return places.items ? value.map((item) => exchangeIn(places.items, item, change)) : value;
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const member of places.rest ? Object.keys(value) : places.members.keys()) {
    if (!Object.hasOwn(value, member)) continue;
    const exchanged = exchangeIn(places.members.get(member) ?? places.rest, value[member], change);
    Object.defineProperty(copy, member, { value: exchanged, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** A copy of an answer in neutral words without what the peer's closed sets cannot say. */
export function withinPeerSets(places: Places | null, value: Json): Json {
  if (places === null) return value;
  if (Array.isArray(value)) {
    const isLost = (item: Json): boolean => isObject(item) && unheardOf.has(item.providerId);
    const kept = places.items?.titles.has(closedEntries) ? value.filter((item) => !isLost(item)) : value;
    return kept.map((item) => withinPeerSets(places.items, item));
  }
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const [member, below] of places.members) {
    if (Object.hasOwn(value, member)) copy[member] = withinPeerSets(below, value[member]);
  }
  const isClosed = [...places.titles].some((title) => closedRecords.has(title));
  return isClosed && unheardOf.has(copy.providerId) ? { ...copy, providerId: nearest } : copy;
}

/** Closed sets, and the members of examples that carry words. */
const setKeywords = new Set(["enum", "const", "default", "type", ...wordMembers]);

/** A copy of a schema, or of any document with schemas in it, whose closed sets speak the other words. */
export function exchangeSchema<S>(schema: S): S {
  const visit = (value: unknown, keyword: string, words: Words): unknown => {
    if (typeof value === "string") return setKeywords.has(keyword) ? exchange(words, value) : value;
    if (Array.isArray(value)) return value.map((item) => visit(item, keyword, words));
    if (!isObject(value)) return value;
    const own = wordsOfTitle.get(value.title) ?? other;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member, name, own)]));
  };
  return visit(schema, "", other) as S;
}

/** A schema for requests in the other words, whose sets with words of their own take the neutral ones too. */
export function acceptedSchema<S>(schema: S): S {
  const widen = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(widen);
    if (!isObject(value)) return value;
    const words = wordsOfTitle.get(value.title);
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, widen(member)]));
    if (!words || !Array.isArray(value.enum)) return copy;
    return { ...copy, enum: value.enum.flatMap((word: string) => [word, exchange(words, word)]) };
  };
  return widen(exchangeSchema(schema)) as S;
}

export type OperationInput = { params: Record<string, string>; query: Record<string, unknown>; body: unknown };

export type Translator = {
  /** What the caller's input is checked against, so that faults name the caller's own words. */
  schema<S extends object>(schema: S): S;
  /** The caller's input, checked, in neutral words. */
  read(input: OperationInput): OperationInput;
  /** A serialised answer in the caller's words. Answers are kept neutral, so a replay is translated as well. */
  write(body: string): string;
};

/** The translator of one operation; null when the service speaks the contract's own words. */
export function createTranslator(vocabulary: Config["vocabulary"], operation: Operation): Translator | null {
  if (vocabulary === "neutral") return null;
  const [params, query, body] = [placesOf(operation.params), placesOf(operation.query), placesOf(operation.body)];
  const answer = placesOf(operation.success.schema);
  return {
    schema: acceptedSchema,
    read: (input) => ({
      params: readAt(params, input.params) as OperationInput["params"],
      query: readAt(query, input.query) as OperationInput["query"],
      body: readAt(body, input.body),
    }),
    write: (text) => (answer ? JSON.stringify(exchangeAt(answer, withinPeerSets(answer, JSON.parse(text)))) : text),
  };
}
