// The filters of an inbox, as requests give them, read into those of the store.
import { maxNotificationFilters, NotificationFilter, type NotificationSelection } from "@tidings/contract";
import { invalid } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { InboxFilter } from "../../store/inbox/inbox-messages.ts";
import { compileBody, faultsOf, unstorableTexts } from "../../validation.ts";
import { readContextKeys } from "../subscribers/contexts.ts";

/** What lists, counts and marks have in common. `tags` of a query may mix words and groups. */
type GivenFilter = Omit<NotificationFilter, "tags"> & { tags?: NotificationFilter["tags"] | (string | string[])[] };

export function readFilter(given: GivenFilter): InboxFilter {
  const { read, seen, archived, snoozed, severity, createdGte, createdLte } = given;
  return {
    ...{ read, seen, archived, snoozed },
    ...readSelection(given),
    severities: severity === undefined ? undefined : [severity].flat(),
    createdFrom: createdGte === undefined ? undefined : new Date(createdGte),
    createdTo: createdLte === undefined ? undefined : new Date(createdLte),
  };
}

/** Filters that requests about many notifications have. */
export function readSelection({
  tags,
  data,
  contextKeys,
}: Pick<GivenFilter, keyof NotificationSelection>): InboxFilter {
  return {
    tags: tags === undefined ? undefined : readTags(tags),
    data: data === undefined ? undefined : readData(data),
    // An empty list in a body means the same as one empty value in a query: without context.
    contextKeys: readContextKeys(contextKeys?.length === 0 ? [""] : contextKeys),
  };
}

/**
 * Groups of tags, one of each of which must match. Words next to groups are one group. An empty list is not a filter.
 */
function readTags(tags: NonNullable<GivenFilter["tags"]>): string[][] {
  if (!Array.isArray(tags)) return "or" in tags ? [tags.or] : tags.and.map((group) => group.or);
  const items: (string | string[])[] = tags;
  const words = items.filter((item) => typeof item === "string");
  const groups = items.filter((item) => Array.isArray(item));
  return [...(words.length > 0 ? [words] : []), ...groups];
}

function readData(given: string | JsonObject): JsonObject {
  const value = typeof given === "string" ? parseJson(given) : given;
  if (isObject(value) && Object.keys(unstorableTexts(value)).length === 0) return value;
  throw invalid({ data: { messages: ["data must be a JSON object"], value: given } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const checkFilters = compileBody({
  type: "array",
  minItems: 1,
  maxItems: maxNotificationFilters,
  items: NotificationFilter,
});

/** The filters of a count: as they were given, for the response, and as the store takes them. */
export function readFilters(text: string): { given: JsonObject; filter: InboxFilter }[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) {
    throw invalid({ filters: { messages: ['filters must be a JSON list, such as [{"read":false}]'], value: text } });
  }
  if (!checkFilters(value)) throw invalid(faultsOf(checkFilters.errors ?? [], "filters"));
  if (Object.keys(unstorableTexts(value)).length > 0) {
    throw invalid({ filters: { messages: ["filters must not contain U+0000 or half a surrogate pair"], value: text } });
  }
  return (value as NotificationFilter[]).map((given) => ({ given, filter: readFilter(given) }));
}
