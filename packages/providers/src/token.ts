// Access tokens: bought with the credentials, kept until they expire, bought anew when the provider no longer takes
// one. A failed purchase never leaves the outcome of the message open, because nothing of the message was sent.

import { createHash } from "node:crypto";
import { describeReply, rejected, retry, retryAfter, SendFault } from "./outcome.ts";
import type { Cached, Io } from "./provider.ts";
import { type HttpReply, type HttpRequest, textAt } from "./request.ts";

/** A key for `io.cached` that differs for different credentials and tells none of them. */
export const cacheKey = (providerId: string, ...parts: readonly (string | undefined)[]): string =>
  `${providerId}:${createHash("sha256").update(JSON.stringify(parts)).digest("base64url")}`;

/** Runs `call` with the token; a 401 drops the token, and the call is made once more with a new one. */
export const withToken = async (
  io: Io,
  key: string,
  make: () => Promise<Cached<string>>,
  call: (token: string) => Promise<HttpReply>,
): Promise<HttpReply> => {
  const reply = await call(await io.cached(key, make));
  if (reply.status !== 401) return reply;
  io.forget(key);
  return call(await io.cached(key, make));
};

/** Buys a token by OAuth 2.0 or alike: `access_token` with `expires_in` seconds, unless named otherwise. */
export const buyToken = async (
  io: Io,
  request: HttpRequest,
  { at = ["access_token"], expiresAt = ["expires_in"] }: { at?: string[]; expiresAt?: string[] } = {},
): Promise<Cached<string>> => {
  const reply = await harmless(io.http(request));
  const value = textAt(reply.json, ...at);
  if (reply.status >= 200 && reply.status < 300 && value) {
    const seconds = Number(textAt(reply.json, ...expiresAt) ?? 300);
    return { value, expiresAt: new Date(io.now().getTime() + (Number.isFinite(seconds) ? seconds : 300) * 1000) };
  }
  const reason = `No access token: ${describeReply(reply)}`;
  if (reply.status === 408 || reply.status === 429 || reply.status >= 500) {
    throw new SendFault(retry(reason, retryAfter(reply)));
  }
  throw new SendFault(rejected(reply.status >= 300 && reply.status < 400 ? "config" : "auth", reason));
};

/** A call that sends nothing of the message: an answer that never came is then worth a repeat, not an open outcome. */
export const harmless = async (call: Promise<HttpReply>): Promise<HttpReply> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SendFault && error.outcome.kind === "unknown") throw new SendFault(retry(error.message));
    throw error;
  }
};
