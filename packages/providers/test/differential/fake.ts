// One server that stands for every provider. SDK and adapter both call the provider's real address; on its way out of
// the process the call is led here, with the real address as its path: /https/api.example.com/v3/send.

import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { TestContext } from "node:test";
import type { Io } from "../../src/index.ts";
import type { HttpRequest } from "../../src/kit/request.ts";
import type { Reply } from "../conformance/case.ts";
import type { Seen } from "../conformance/stage.ts";
import { openIo, startHttp } from "../support.ts";

export type Fake = {
  /** Runs the call and returns the requests it made. */
  watch(call: () => Promise<unknown>): Promise<Seen[]>;
  /** A network for the adapter. */
  io: Io;
};

/** A server that gives this reply to everything, and the process around it without another way out. */
export async function startFake(t: TestContext, reply: Reply): Promise<Fake> {
  const seen: Seen[] = [];
  const origin = await startHttp(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = (request.url ?? "").replace(/^\/(https?)\//, "$1://");
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    seen.push({ method: request.method ?? "", url, headers, body: Buffer.concat(chunks) });
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(text);
  });
  // Only our own io resolves the name; this machine is where it leads.
  const local = origin.replace("api.test", "127.0.0.1");
  const lead = (address: string): string => `${local}/${address.replace("://", "/")}`;
  leadHttps(t, lead);
  await leadFetch(t, lead);
  const io = openIo(t);
  const led: Io = { ...io, http: (request: HttpRequest) => io.http({ ...request, url: lead(request.url) }) };
  const watch = async (call: () => Promise<unknown>): Promise<Seen[]> => {
    seen.length = 0;
    await call();
    return [...seen];
  };
  return { watch, io: led };
}

type Called = (response: IncomingMessage) => void;
type Lead = (address: string) => string;

function leadHttps(t: TestContext, lead: Lead): void {
  const { request: original, get } = https;
  const led = (...given: unknown[]): ClientRequest => {
    const url = typeof given[0] === "string" || given[0] instanceof URL ? new URL(given.shift() as string) : undefined;
    const options = typeof given[0] === "object" ? (given.shift() as RequestOptions) : {};
    const { method, headers, auth, timeout, signal } = options;
    const host = url?.host ?? `${options.hostname ?? options.host}`;
    const path = url ? `${url.pathname}${url.search}` : (options.path ?? "/");
    const plain = { method, headers, auth, timeout, signal };
    const set = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
    return http.request(lead(`https://${host}${path}`), set, given[0] as Called | undefined);
  };
  https.request = led as typeof https.request;
  https.get = ((...given: unknown[]) => led(...given).end()) as unknown as typeof https.get;
  // Also for those that import the functions by name.
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(https, { request: original, get });
    syncBuiltinESMExports();
  });
}

// Where the fetch of Node and that of the package undici find what carries their calls.
const dispatcherKey = Symbol.for("undici.globalDispatcher.1");

type Dispatched = {
  origin: string;
  path: string;
};

async function leadFetch(t: TestContext, lead: Lead): Promise<void> {
  // The first call makes the one of Node.
  await fetch("data:,");
  const original = Reflect.get(globalThis, dispatcherKey);
  const dispatch = (options: Dispatched, handler: unknown) => {
    const { origin, pathname, search } = new URL(lead(`${options.origin}${options.path}`));
    return original.dispatch({ ...options, origin, path: `${pathname}${search}` }, handler);
  };
  Reflect.set(globalThis, dispatcherKey, { dispatch });
  t.after(() => Reflect.set(globalThis, dispatcherKey, original));
}
