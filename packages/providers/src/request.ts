// HTTP requests and replies as plain data. A provider builds the request without sending it and reads the reply
// without fetching it, so both can be tested with nothing but values.

import { encodeMultipart, type Multipart } from "./multipart.ts";
import { rejected, SendFault } from "./outcome.ts";

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Headers that frame the request or choose its receiver: set freely they could smuggle a second one in. */
export const framing =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|:.*|http2-settings)$/i;

export interface HttpReply {
  status: number;
  /** Names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  text: string;
  /** The parsed body, or undefined when it is not JSON or was longer than we read. */
  json: unknown;
}

type Value = string | number | boolean | undefined;
/** A list repeats its key. */
type Values = Record<string, Value | readonly Value[]>;

export interface RequestParts {
  query?: Values;
  headers?: Record<string, string | undefined>;
  basic?: [user: string, password: string];
  bearer?: string;
  /** The body, in one of four forms. */
  json?: unknown;
  form?: Values;
  multipart?: Multipart;
  raw?: { type: string; body: string | Uint8Array };
}

const build = (method: HttpRequest["method"], url: string, parts: RequestParts): HttpRequest => {
  const headers: Record<string, string> = { accept: "application/json" };
  if (parts.basic) headers.authorization = `Basic ${Buffer.from(parts.basic.join(":")).toString("base64")}`;
  if (parts.bearer) headers.authorization = `Bearer ${parts.bearer}`;
  const content = contentOf(parts);
  if (content) headers["content-type"] = content.type;
  for (const [name, value] of Object.entries(parts.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  const query = parts.query ? encode(parts.query) : "";
  const target = query ? `${url}${url.includes("?") ? "&" : "?"}${query}` : url;
  return content ? { method, url: target, headers, body: content.body } : { method, url: target, headers };
};

const contentOf = ({ json, form, multipart, raw }: RequestParts): RequestParts["raw"] => {
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(json) };
  if (form) return { type: "application/x-www-form-urlencoded", body: encode(form) };
  if (multipart) return encodeMultipart(multipart);
  return raw;
};

const encode = (values: Values): string => {
  const encoded = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) encoded.append(key, String(item));
    }
  }
  return encoded.toString();
};

export const get = (url: string, parts: RequestParts = {}): HttpRequest => build("GET", url, parts);
export const post = (url: string, parts: RequestParts = {}): HttpRequest => build("POST", url, parts);
export const put = (url: string, parts: RequestParts = {}): HttpRequest => build("PUT", url, parts);
export const patch = (url: string, parts: RequestParts = {}): HttpRequest => build("PATCH", url, parts);
export const del = (url: string, parts: RequestParts = {}): HttpRequest => build("DELETE", url, parts);

/** An address from the credentials, with a scheme and without a slash at its end. */
export const baseUrl = (given: string | undefined, fallback = ""): string => {
  const address = (given || fallback).trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  if (!url) throw new SendFault(rejected("config", "The base address of the provider is not a valid URL"));
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
};

export const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");

/** Text for an XML body. Characters XML cannot hold at all are left out. */
export const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"']/g, (mark) => `&#${mark.codePointAt(0)};`);

/** A member deep inside a reply as text: `textAt(reply.json, "messages", 0, "id")`. Anything but text and numbers is undefined. */
export const textAt = (value: unknown, ...path: (string | number)[]): string | undefined => {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
};
