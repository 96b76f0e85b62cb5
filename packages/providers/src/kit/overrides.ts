// How the overrides of a trigger get into a provider's request: first `extra`, members under the provider's own names,
// then `passthrough`, merged untouched. JSON is merged deeply, forms field by field; a list replaces a list, except for
// those that the adapter names, and null removes a member. For a request without a body, `extra` goes into the query.
// What a body cannot carry is refused by its name: an object in a form or a query would arrive as something the
// provider never asked for.

import { isJsonObject, type JsonObject } from "@tidings/contract";
import type { Message } from "./message.ts";
import { decodeMultipart, encodeMultipart, type Part } from "./multipart.ts";
import { rejected, SendError } from "./outcome.ts";
import { framingHeaders, type HttpRequest } from "./request.ts";

/** How overrides are merged into a provider's body: see `rootMembers` and `mergedLists` of a provider. */
type Body = {
  readonly rootMembers?: readonly string[];
  readonly mergedLists?: Lists;
};
type Lists = Readonly<Record<string, readonly string[]>>;

/** `extraAt`: where in a JSON body the members of `extra` belong. */
export function withOverrides(
  request: HttpRequest,
  { extra = {}, passthrough = {} }: Pick<Message, "extra" | "passthrough">,
  extraAt: readonly (string | number)[] = [],
  { rootMembers = [], mergedLists = {} }: Body = {},
): HttpRequest {
  const { body = {}, headers = {}, query = {} } = passthrough;
  const part = (isOfRoot: boolean): JsonObject =>
    Object.fromEntries(Object.entries(extra).filter(([name]) => rootMembers.includes(name) === isOfRoot));
  const placed = withMembers(request, part(false), extraAt, mergedLists);
  const whole = withMembers(withMembers(placed, part(true), [], mergedLists), body, [], mergedLists);
  return withHeaders(withQuery(whole, query), headers);
}

function withMembers(
  request: HttpRequest,
  members: JsonObject,
  at: readonly (string | number)[],
  lists: Lists = {},
): HttpRequest {
  if (Object.keys(members).length === 0) return request;
  if (request.body === undefined) return withQuery(request, members);
  const type = request.headers["content-type"] ?? "";
  if (/\bjson\b/.test(type)) {
    return { ...request, body: JSON.stringify(mergeAt(JSON.parse(textOf(request.body)), members, at, lists)) };
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(textOf(request.body));
    setValues(form, members);
    return { ...request, body: form.toString() };
  }
  if (type.startsWith("multipart/form-data")) return withParts(request, type, members);
  const names = Object.keys(members).map(shown).join(", ");
  throw refusedOverride(`${names} cannot be merged into a body of type ${type || "unknown"}`);
}

const refusedOverride = (reason: string): SendError => new SendError(rejected("content", `The override ${reason}`));

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

const textOf = (body: string | Uint8Array): string => Buffer.from(body).toString("utf8");

function mergeAt(value: unknown, members: JsonObject, at: readonly (string | number)[], lists: Lists): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return merge(value, members, lists);
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? mergeAt(item, members, rest, lists) : item));
  }
  const inside = isJsonObject(value) ? value : {};
  return { ...inside, [key]: mergeAt(inside[key], members, rest, lists) };
}

function merge(value: unknown, over: unknown, lists: Lists = {}): unknown {
  if (!isJsonObject(over)) return over;
  const base = isJsonObject(value) ? value : {};
  const merged = new Map(Object.entries(base));
  for (const [key, item] of Object.entries(over)) {
    const [ours, kept] = [merged.get(key), Object.hasOwn(lists, key) ? lists[key] : undefined];
    if (item === null) merged.delete(key);
    else if (kept && Array.isArray(ours) && Array.isArray(item)) merged.set(key, mergeItems(ours, item, kept));
    else merged.set(key, merge(ours, item));
  }
  // fromEntries defines members, so that one called __proto__ stays a member.
  return Object.fromEntries(merged);
}

/** Merges the lists item by item: `kept` members of our items stay, and their list may be longer. */
function mergeItems(ours: readonly unknown[], theirs: readonly unknown[], kept: readonly string[]): unknown[] {
  return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) => {
    const [own, over] = [ours[index], theirs[index]];
    if (!isJsonObject(own) || !isJsonObject(over)) return own ?? over;
    const stays = Object.entries(own).filter(([name]) => kept.includes(name));
    return { ...(merge(own, over) as JsonObject), ...Object.fromEntries(stays) };
  });
}

function setValues(values: URLSearchParams, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) {
    values.delete(name);
    for (const item of textsOf(name, value)) values.append(name, item);
  }
}

/** What a field can carry: texts, numbers and booleans; a list of them repeats the field. */
function textsOf(name: string, value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === "object" && item !== null)) {
    throw refusedOverride(
      `${shown(name)} is an object, and a field takes a text: write it as the provider documents the field`,
    );
  }
  return items.flatMap((item) => (item === null || item === undefined ? [] : [String(item)]));
}

/** A part of a multipart body has its own type: there an object travels as JSON. */
function partsOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(partsOf);
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}

function withParts(request: HttpRequest, type: string, members: JsonObject): HttpRequest {
  const kept = decodeMultipart(type, Buffer.from(request.body ?? "")).filter(
    ({ name }) => !Object.hasOwn(members, name),
  );
  const added = Object.entries(members).flatMap(([name, value]) =>
    partsOf(value).map((item): Part => ({ name, value: item })),
  );
  const content = encodeMultipart({ seed: type, parts: [...kept, ...added] });
  return { ...request, headers: { ...request.headers, "content-type": content.type }, body: content.body };
}

function withQuery(request: HttpRequest, members: JsonObject): HttpRequest {
  const url = Object.keys(members).length > 0 ? URL.parse(request.url) : null;
  if (!url) return request;
  setValues(url.searchParams, members);
  return { ...request, url: url.href };
}

function withHeaders(request: HttpRequest, members: JsonObject): HttpRequest {
  const headers = { ...request.headers };
  for (const [given, value] of Object.entries(members)) {
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || framingHeaders.test(name)) {
      throw new SendError(
        rejected("content", `The override header ${JSON.stringify(given.slice(0, 100))} cannot be set`),
      );
    }
    if (value === null) {
      delete headers[name];
      continue;
    }
    const text = textsOf(given, value).join(", ");
    // Latin-1 without control characters is all HTTP/1.1 can carry in a header.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw new SendError(rejected("content", `The override header ${given} holds characters a header cannot carry`));
    }
    headers[name] = text;
  }
  return { ...request, headers };
}
