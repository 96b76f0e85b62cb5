// How the overrides of a trigger get into a provider's request: first `extra`, members under the provider's own names,
// then `passthrough`, merged untouched. JSON is merged deeply, forms field by field; a list replaces a list and null
// removes a member. A request without a body takes `extra` into its query.

import type { Message } from "./message.ts";
import { decodeMultipart, encodeMultipart, type Part } from "./multipart.ts";
import { rejected, SendFault } from "./outcome.ts";
import { framing, type HttpRequest } from "./request.ts";

type Members = Record<string, unknown>;

/** `extraAt`: where in a JSON body the members of `extra` belong. */
export const withOverrides = (
  request: HttpRequest,
  { extra = {}, passthrough = {} }: Pick<Message, "extra" | "passthrough">,
  extraAt: readonly (string | number)[] = [],
): HttpRequest => {
  const { body = {}, headers = {}, query = {} } = passthrough;
  const widened = withMembers(withMembers(request, extra, extraAt), body, []);
  return withHeaders(withQuery(widened, query), headers);
};

const withMembers = (request: HttpRequest, members: Members, at: readonly (string | number)[]): HttpRequest => {
  if (Object.keys(members).length === 0) return request;
  if (request.body === undefined) return withQuery(request, members);
  const type = request.headers["content-type"] ?? "";
  if (/\bjson\b/.test(type)) {
    return { ...request, body: JSON.stringify(mergeAt(JSON.parse(textOf(request.body)), members, at)) };
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(textOf(request.body));
    setValues(form, members);
    return { ...request, body: form.toString() };
  }
  if (type.startsWith("multipart/form-data")) return withParts(request, type, members);
  throw new SendFault(rejected("content", `Overrides cannot be merged into a body of type ${type || "unknown"}`));
};

const textOf = (body: string | Uint8Array): string => Buffer.from(body).toString("utf8");

const mergeAt = (value: unknown, members: Members, at: readonly (string | number)[]): unknown => {
  const [key, ...rest] = at;
  if (key === undefined) return merge(value, members);
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? mergeAt(item, members, rest) : item));
  const inside = isObject(value) ? value : {};
  return { ...inside, [key]: mergeAt(inside[key], members, rest) };
};

const merge = (value: unknown, over: unknown): unknown => {
  if (!isObject(over)) return over;
  const base = isObject(value) ? value : {};
  const merged = new Map(Object.entries(base));
  for (const [key, item] of Object.entries(over)) {
    if (item === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), item));
  }
  // fromEntries defines members, so that one called __proto__ stays a member.
  return Object.fromEntries(merged);
};

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const setValues = (values: URLSearchParams, members: Members): void => {
  for (const [name, value] of Object.entries(members)) {
    values.delete(name);
    for (const item of valuesOf(value)) values.append(name, item);
  }
};

// What a form can carry: a list repeats the field, an object travels as JSON.
const valuesOf = (value: unknown): string[] => {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
};

const withParts = (request: HttpRequest, type: string, members: Members): HttpRequest => {
  const kept = decodeMultipart(type, Buffer.from(request.body ?? "")).filter(
    ({ name }) => !Object.hasOwn(members, name),
  );
  const added = Object.entries(members).flatMap(([name, value]) =>
    valuesOf(value).map((item): Part => ({ name, value: item })),
  );
  const content = encodeMultipart({ seed: type, parts: [...kept, ...added] });
  return { ...request, headers: { ...request.headers, "content-type": content.type }, body: content.body };
};

const withQuery = (request: HttpRequest, members: Members): HttpRequest => {
  const url = Object.keys(members).length > 0 ? URL.parse(request.url) : null;
  if (!url) return request;
  setValues(url.searchParams, members);
  return { ...request, url: url.href };
};

const withHeaders = (request: HttpRequest, members: Members): HttpRequest => {
  const headers = { ...request.headers };
  for (const [given, value] of Object.entries(members)) {
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || framing.test(name)) {
      throw new SendFault(
        rejected("content", `The override header ${JSON.stringify(given.slice(0, 100))} cannot be set`),
      );
    }
    if (value === null) {
      delete headers[name];
      continue;
    }
    const text = valuesOf(value).join(", ");
    // Latin-1 without control characters is all HTTP/1.1 can carry in a header.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw new SendFault(rejected("content", `The override header ${given} holds characters a header cannot carry`));
    }
    headers[name] = text;
  }
  return { ...request, headers };
};
