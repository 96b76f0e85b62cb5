// HTTP requests as plain data. An adapter builds a request without sending it, so it can be tested with values alone;
// reply.ts is the counterpart for replies.

import { encodeMultipart, type Multipart } from "./multipart.ts";
import { rejected, SendError } from "./outcome.ts";

export type HttpRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
};

/** Headers that frame the request or choose its receiver: a caller who set them could smuggle in a second request. */
export const framingHeaders =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|:.*|http2-settings)$/i;

type Value = string | number | boolean | undefined;
/** A list repeats its key. */
type Values = Record<string, Value | readonly Value[]>;

type RequestParts = {
  query?: Values;
  headers?: Record<string, string | undefined>;
  basic?: [user: string, password: string];
  bearer?: string;
  /** The body, in one of four forms. */
  json?: unknown;
  form?: Values;
  multipart?: Multipart;
  raw?: { type: string; body: string | Uint8Array };
};

function build(method: HttpRequest["method"], url: string, parts: RequestParts): HttpRequest {
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
}

function contentOf({ json, form, multipart, raw }: RequestParts): RequestParts["raw"] {
  if (json !== undefined) return { type: "application/json", body: JSON.stringify(json) };
  if (form) return { type: "application/x-www-form-urlencoded", body: encode(form) };
  if (multipart) return encodeMultipart(multipart);
  return raw;
}

function encode(values: Values): string {
  const encoded = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) encoded.append(key, String(item));
    }
  }
  return encoded.toString();
}

export function get(url: string, parts: RequestParts = {}): HttpRequest {
  return build("GET", url, parts);
}

export function post(url: string, parts: RequestParts = {}): HttpRequest {
  return build("POST", url, parts);
}

export function put(url: string, parts: RequestParts = {}): HttpRequest {
  return build("PUT", url, parts);
}

export function patch(url: string, parts: RequestParts = {}): HttpRequest {
  return build("PATCH", url, parts);
}

export function del(url: string, parts: RequestParts = {}): HttpRequest {
  return build("DELETE", url, parts);
}

/** An address from the credentials, with a scheme and without a slash at its end. */
export function baseUrl(given: string | undefined, fallback = ""): string {
  const address = (given || fallback).trim();
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  if (!url) throw new SendError(rejected("config", "The base address of the provider is not a valid URL"));
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}

export function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64");
}
