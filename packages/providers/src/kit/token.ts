// Access tokens: fetched with the credentials, cached until they expire, fetched again when the provider refuses one. A
// failed fetch is a retry and never an unknown outcome, because nothing of the message was sent.

import { createHash } from "node:crypto";
import type { Cached, Io } from "./io.ts";
import { rejected, retry, SendError } from "./outcome.ts";
import { describeReply, type HttpReply, retryAfter, textAt } from "./reply.ts";
import type { HttpRequest } from "./request.ts";

/** A key for `io.cached` that differs for different credentials and reveals none of them. */
export function cacheKey(providerId: string, ...parts: readonly (string | undefined)[]): string {
  return `${providerId}:${createHash("sha256").update(JSON.stringify(parts)).digest("base64url")}`;
}

/** Runs `call` with the token; after a 401 the token is dropped and the call is repeated once with a new one. */
export async function withToken(
  io: Io,
  key: string,
  make: () => Promise<Cached<string>>,
  call: (token: string) => Promise<HttpReply>,
): Promise<HttpReply> {
  const reply = await call(await io.cached(key, make));
  if (reply.status !== 401) return reply;
  io.forget(key);
  return call(await io.cached(key, make));
}

/** Fetches a token by OAuth 2.0 or a similar call: `access_token` with `expires_in` seconds, unless named otherwise. */
export async function fetchToken(
  io: Io,
  request: HttpRequest,
  { at = ["access_token"], expiresAt = ["expires_in"] }: { at?: string[]; expiresAt?: string[] } = {},
): Promise<Cached<string>> {
  const reply = await retryUnknown(io.http(request));
  const value = textAt(reply.json, ...at);
  if (reply.status >= 200 && reply.status < 300 && value) {
    const seconds = Number(textAt(reply.json, ...expiresAt) ?? 300);
    return { value, expiresAt: new Date(io.now().getTime() + (Number.isFinite(seconds) ? seconds : 300) * 1000) };
  }
  const reason = `No access token: ${describeReply(reply)}`;
  if (reply.status === 408 || reply.status === 429 || reply.status >= 500) {
    throw new SendError(retry(reason, retryAfter(reply)));
  }
  throw new SendError(rejected(reply.status >= 300 && reply.status < 400 ? "config" : "auth", reason));
}

/** For a call that sends nothing of the message: a missing response is a retry, because it cannot cause a duplicate. */
export async function retryUnknown(call: Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SendError && error.outcome.kind === "unknown") throw new SendError(retry(error.message));
    throw error;
  }
}
