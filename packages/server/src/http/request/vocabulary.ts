// The vocabulary of requests and responses. The service, the database and the contract use neutral words (`svc-cloud`,
// `chatapp_user`); clients of Novu check responses against that API's words. With TIDINGS_VOCABULARY=novu, http/
// exchanges the words in both directions, so that such a client needs another base address only.
//
// Words are exchanged only where the schemas of the contract have them: payload, data and control values are open
// objects in the schemas and stay unchanged. The exchange is its own inverse, so a value that comes in goes out the
// same. Only values for which Novu has no word are lost in responses.
import { addedProviderIds, type Operation } from "@tidings/contract";
import type { Config } from "../../config.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

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
 * Enumerations with their own words, by title. The description of Novu lists other words for the types of published
 * resources; they are mapped one to one, so that none is lost (docs/decisions/0004-sdk.md). Clients without the SDK
 * send `workflow` and `layout`: requests may use either.
 */
const resourceTypes = [
  ["workflow", "REGULAR"],
  ["layout", "BRIDGE"],
  ["step", "ECHO"],
] as const;

/** Published resources for which that description has no word left: they are published, and not reported. */
const unreported: ReadonlySet<unknown> = new Set(["category", "brand", "attention"]);

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
 * Providers that Novu does not have, for responses in which its clients check against an enumeration. A subscriber's
 * channel settings for one of them are left out; jobs and execution details show the nearest provider instead.
 */
const unknownToPeer: ReadonlySet<unknown> = new Set(addedProviderIds);
const nearestProvider = (providerId: unknown) => (providerId === "telegram" ? "chat-webhook" : "push-webhook");
const filteredTitle = "ChannelSettings";
const replacedTitles = new Set<unknown>(["Job", "ExecutionDetail"]);

/** Steps of workflows: their control values have members that clients of Novu require. */
const stepTitle = "Step";

/** Members with words whose schema is not an enumeration. Enumerations with words are found by their values. */
const wordMembers = new Set(["providerId", "origin"]);

const exchange = (words: Words, word: string): string => words.get(word) ?? word;

type Schema = JsonObject;

/** The positions of words in a value: the value itself, named members, items of a list, other members of a map. */
type WordPositions = {
  titles: ReadonlySet<unknown>;
  words: Words | null;
  members: Map<string, WordPositions>;
  items: WordPositions | null;
  rest: WordPositions | null;
};

/** A union is one position with the words of all its branches: exchanging a word twice would undo it. */
const branchesOf = (schema: Schema): Schema[] => [
  schema,
  ...["anyOf", "oneOf", "allOf"].flatMap((name) => ((schema[name] as Schema[]) ?? []).flatMap(branchesOf)),
];

function findPositions(schemas: Schema[], name: string): WordPositions | null {
  const branches = schemas.flatMap(branchesOf);
  const listed = branches.flatMap((branch) => [...((branch.enum as unknown[]) ?? []), branch.const]);
  const isText = branches.some((branch) => [branch.type].flat().includes("string"));
  const isWord = listed.some((value) => other.has(value as string)) || (wordMembers.has(name) && isText);
  const titles = new Set(branches.map(({ title }) => title));
  const own = [...titles].map((title) => wordsOfTitle.get(title)).find((words) => words !== undefined);
  const words = own ?? (isWord ? other : null);

  const members = new Map<string, WordPositions>();
  const properties = branches.flatMap((branch) => Object.entries((branch.properties as Record<string, Schema>) ?? {}));
  for (const [member, group] of Map.groupBy(properties, ([member]) => member)) {
    const positions = findPositions(
      group.map(([, schema]) => schema),
      member,
    );
    if (positions) members.set(member, positions);
  }
  const below = (schemas: unknown[], name: string) => {
    const described = schemas.filter(isObject);
    return described.length > 0 ? findPositions(described, name) : null;
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

/** The positions of words in values of a schema; null when there are none. */
export const wordPositionsOf = (schema: object | undefined): WordPositions | null =>
  schema ? findPositions([schema as Schema], "") : null;

/** A copy of the value with its words exchanged; the value itself when it has none. */
export const exchangeWords = (positions: WordPositions | null, value: unknown): unknown =>
  exchangeIn(positions, value, exchange);

/** The same for requests: in enumerations with their own words, a neutral word stays unchanged. */
const readWords = (positions: WordPositions | null, value: unknown): unknown =>
  exchangeIn(positions, value, (words, word) =>
    words !== other && neutralTypes.has(word) ? word : exchange(words, word),
  );

function exchangeIn(
  positions: WordPositions | null,
  value: unknown,
  change: (words: Words, word: string) => string,
): unknown {
  if (positions === null) return value;
  if (typeof value === "string") return positions.words ? change(positions.words, value) : value;
  if (Array.isArray(value))
    return positions.items ? value.map((item) => exchangeIn(positions.items, item, change)) : value;
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const member of positions.rest ? Object.keys(value) : positions.members.keys()) {
    if (!Object.hasOwn(value, member)) continue;
    const exchanged = exchangeIn(positions.members.get(member) ?? positions.rest, value[member], change);
    Object.defineProperty(copy, member, { value: exchanged, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/**
 * A copy of a response, in neutral words, as clients of Novu accept it: with what they require, without unknown
 * providers.
 */
function asPeerAccepts(positions: WordPositions | null, value: unknown): unknown {
  if (positions === null) return value;
  if (Array.isArray(value)) {
    const isLost = (item: unknown): boolean =>
      isObject(item) &&
      (positions.items?.titles.has(filteredTitle)
        ? unknownToPeer.has(item.providerId)
        : positions.items?.members.has("resourceType") === true && unreported.has(item.resourceType));
    const kept = value.filter((item) => !isLost(item));
    return kept.map((item) => asPeerAccepts(positions.items, item));
  }
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const [member, below] of positions.members) {
    if (Object.hasOwn(value, member)) copy[member] = asPeerAccepts(below, value[member]);
  }
  if (positions.titles.has(stepTitle)) return withRequiredValues(copy);
  const isClosed = [...positions.titles].some((title) => replacedTitles.has(title));
  return isClosed && unknownToPeer.has(copy.providerId)
    ? { ...copy, providerId: nearestProvider(copy.providerId) }
    : copy;
}

/**
 * A step whose code gives the content has no control values, but clients require the subject of an email, and the
 * address of a link. An empty text is also what the contract shows for a subject that is missing.
 */
function withRequiredValues(step: JsonObject): JsonObject {
  const complete = (values: unknown): unknown => {
    if (!isObject(values)) return values;
    const withLinks = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, withAddress(name, value)]),
    );
    return step.type === "email" ? { subject: "", body: "", ...withLinks } : withLinks;
  };
  const controls = isObject(step.controls)
    ? { controls: { ...step.controls, values: complete(step.controls.values) } }
    : {};
  return { ...step, ...controls, ...(isObject(step.controlValues) && { controlValues: complete(step.controlValues) }) };
}

/** `redirect`, and that of an action, with its `url`. */
function withAddress(name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (name === "redirect") return { url: "", ...value };
  return name.endsWith("Action") && isObject(value.redirect)
    ? { ...value, redirect: { url: "", ...value.redirect } }
    : value;
}

/** Keywords of enumerations, and the members of examples that have words. */
const setKeywords = new Set(["enum", "const", "default", "type", ...wordMembers]);

/** A copy of a schema, or of a document with schemas in it, with the words of its enumerations exchanged. */
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

/** A schema for requests in the peer's words. Enumerations with their own words accept the neutral ones too. */
function acceptedSchema<S>(schema: S): S {
  const widen = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(widen);
    if (!isObject(value)) return value;
    const words = wordsOfTitle.get(value.title);
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, widen(member)]));
    if (!words || !Array.isArray(value.enum)) return copy;
    return { ...copy, enum: [...new Set(value.enum.flatMap((word: string) => [word, exchange(words, word)]))] };
  };
  return widen(exchangeSchema(schema)) as S;
}

export type OperationInput = { params: Record<string, string>; query: Record<string, unknown>; body: unknown };

export type Translator = {
  /** The schema in the caller's words, so that errors name them. */
  schema<S extends object>(schema: S): S;
  /** Checked input in neutral words. */
  read(input: OperationInput): OperationInput;
  /** A serialized response in the caller's words. Stored responses are neutral, so replays are translated as well. */
  write(body: string): string;
};

/** The translator of one operation; null when the vocabulary is the contract's own. */
export function createTranslator(vocabulary: Config["vocabulary"], operation: Operation): Translator | null {
  if (vocabulary === "neutral") return null;
  const [params, query, body] = [
    wordPositionsOf(operation.params),
    wordPositionsOf(operation.query),
    wordPositionsOf(operation.body),
  ];
  const answer = wordPositionsOf(operation.success.schema);
  return {
    schema: acceptedSchema,
    read: (input) => ({
      params: readWords(params, input.params) as OperationInput["params"],
      query: readWords(query, input.query) as OperationInput["query"],
      body: readWords(body, input.body),
    }),
    write: (text) => (answer ? JSON.stringify(exchangeWords(answer, asPeerAccepts(answer, JSON.parse(text)))) : text),
  };
}
