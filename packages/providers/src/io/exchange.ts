// What an HTTP/1.1 call and an HTTP/2 call have in common: the parsed address, checked headers, a bounded body, the
// reply as plain data, and a failure that says whether the request can have reached the server.

import type { IncomingHttpHeaders } from "node:http";
import querystring from "node:querystring";
import { rejected, retry, SendError, unknown } from "../kit/outcome.ts";
import { type HttpReply, parseJson } from "../kit/reply.ts";
import { framingHeaders, type HttpRequest } from "../kit/request.ts";
import type { Deadline } from "./deadline.ts";

/**
 * Resolves a host to an address that may be connected to. It rejects with an error whose `code` is HOST_UNRESOLVED when
 * the name is unknown and ADDRESS_REFUSED when its address is not allowed.
 */
export type Resolve = (host: string) => Promise<{ address: string; family: number }>;

const maxReplyBytes = 1024 * 1024;

export type Target = {
  protocol: "http:" | "https:";
  host: string;
  port: number;
  path: string;
  hostHeader: string;
  auth?: string;
};

// Reasons name the host alone: paths and queries of webhook addresses contain secrets.
export function parseUrl(text: string): Target {
  const url = URL.parse(text);
  if (!url) throw new SendError(rejected("config", "The address of the provider is not a valid URL"));
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new SendError(rejected("config", `The address of the provider starts with ${protocol} instead of https:`));
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port ? Number(url.port) : protocol === "https:" ? 443 : 80;
  const target: Target = { protocol, host, port, path: `${url.pathname}${url.search}`, hostHeader: url.host };
  if (url.username) target.auth = `${querystring.unescape(url.username)}:${querystring.unescape(url.password)}`;
  return target;
}

/** The headers of a request. Credentials may name a header, so every request is checked. */
export function checkHeaders({ headers }: HttpRequest): Record<string, string> {
  for (const name in headers) {
    if (framingHeaders.test(name)) throw new Error(`the header ${name} cannot be set`);
  }
  return headers;
}

export function withDeadline<T>(work: Promise<T>, deadline: Deadline, host: string): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.onOver(() => reject(new SendError(retry(`${host} was not resolved in time`))));
    work.then(resolve, reject);
  });
}

type Body = { text: string; isWhole: boolean };

/** Collects a body up to 1 MB: the status has decided the outcome, and the rest would only cost memory. */
export function createBodyCollector() {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Returns whether more is wanted. */
    add(chunk: Buffer): boolean {
      chunks.push(chunk);
      size += chunk.length;
      return size <= maxReplyBytes;
    },
    finish: (): Body => ({
      text: Buffer.concat(chunks).subarray(0, maxReplyBytes).toString("utf8"),
      isWhole: size <= maxReplyBytes,
    }),
  };
}

export function toReply(status: number | undefined, head: IncomingHttpHeaders, { text, isWhole }: Body): HttpReply {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(head)) {
    // Pseudo-headers of HTTP/2 start with a colon.
    if (value === undefined || name.startsWith(":")) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : String(value);
  }
  const reply = { status: status ?? 0, headers, text };
  return isWhole ? { ...reply, json: parseJson(text) } : { ...reply, json: undefined, isCut: true };
}

/** A call without a reply: `unknown` once the request was written, `retry` before. */
export function callFault(host: string, cause: string, call: { deadline: Deadline; isWritten: boolean }): SendError {
  const what = call.deadline.isOver ? `${host} did not respond in time` : `${host}: ${cause}`;
  return new SendError(call.isWritten ? unknown(`${what} (after the request was sent)`) : retry(what));
}
