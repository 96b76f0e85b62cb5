// One operation: its address, its tries, its result. All tries of a request that changes something carry the same
// idempotency key, so that the service does the work once, however many of them reach it.
import type { OperationId } from "@tidings/contract";
import { fillPath, queryText } from "./address.ts";
import { TidingsError } from "./error.ts";
import { type Exchange, exchange, readBody, type Target } from "./exchange.ts";
import { operationPaths } from "./operations.gen.ts";

type HeaderValues = Record<string, string | undefined>;

export type Options = Target & {
  /** The secret key of an environment: for servers only. */
  apiKey?: string | undefined;
  /** The token of an inbox session: what a browser uses instead of the key. */
  token?: string | undefined;
  /** Tries after the first one, of a request that got no response, 408, 429, 500, 502, 503 or 504. */
  retries?: number;
  /** Milliseconds that one try may take; 0 for no limit. */
  timeout?: number;
  /** Sent with every request; a function where they differ by method. */
  headers?: HeaderValues | ((method: string) => HeaderValues);
  /** Whether cookies are sent: `same-origin` for pages that the service itself serves. */
  credentials?: RequestInit["credentials"];
};

/** An input that no schema has checked: what the service may be sent when the point is to see it refused. */
export type RawInput = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: HeaderValues;
  signal?: AbortSignal;
  timeout?: number;
};

export type RawResponse = { status: number; headers: Headers; body: unknown };

/** One request to any path of the service. */
export type SendInput = Omit<RawInput, "params" | "query" | "timeout"> & {
  query?: object;
  redirect?: RequestInit["redirect"];
};

const repeatable = new Set([0, 408, 429, 500, 502, 503, 504]);
const maxPause = 30_000;

/** The body of a successful response. */
export async function request<T>(options: Options, id: OperationId, input: RawInput): Promise<T> {
  const [method] = operationPaths[id];
  const key = options.apiKey && (method === "POST" || method === "PATCH") ? newKey() : undefined;
  const headers = { "idempotency-key": key, ...commonHeaders(options, method), ...input.headers };
  for (let tries = 0; ; tries++) {
    try {
      return await tryOnce(options, id, { ...input, headers });
    } catch (error) {
      const isLast = tries >= (options.retries ?? 3) || input.signal?.aborted;
      if (isLast || !(error instanceof TidingsError) || !repeatable.has(error.status)) throw error;
      await pause(pauseBefore(tries, error.retryAfter), input.signal);
    }
  }
}

async function tryOnce<T>(options: Options, id: OperationId, input: RawInput): Promise<T> {
  const { response, body } = await readOnce(options, id, input);
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  // A proxy's HTML page with status 200 must not pass for the requested record.
  if (!response.ok || typeof body === "string")
    throw new TidingsError(id, response.status, body, Number.isFinite(retryAfter) ? { retryAfter } : {});
  return body as T;
}

/** Every response unchanged, whatever its status, after one try. Rejects only when there is none. */
export async function requestRaw(options: Options, id: OperationId, input: RawInput): Promise<RawResponse> {
  const { response, body } = await readOnce(options, id, input);
  return { status: response.status, headers: response.headers, body };
}

async function readOnce(
  options: Options,
  id: OperationId,
  { timeout = options.timeout ?? 30_000, ...input }: RawInput,
) {
  const [method, path] = operationPaths[id];
  const { params, query, signal } = input;
  const address = fillPath(path, params) + queryText(query);
  const limit = timeout > 0 ? AbortSignal.timeout(timeout) : undefined;
  const both = signal && limit && anyOf(signal, limit);
  try {
    const init = initOf(options, method, { ...input, signal: both?.signal ?? signal ?? limit });
    const response = await exchange(options, address, init);
    return { response, body: await readBody(response) };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new TidingsError(id, 0, undefined, { cause: error, isTimeout: limit?.aborted });
  } finally {
    both?.release();
  }
}

/**
 * One request to any path, for streams and files: the response, whatever its status. It has no time limit but its
 * signal.
 */
export async function send(options: Options, method: string, path: string, input: SendInput = {}): Promise<Response> {
  try {
    return await exchange(options, path + queryText(input.query), initOf(options, method, input));
  } catch (error) {
    if (input.signal?.aborted) throw error;
    throw new TidingsError(`${method} ${path}`, 0, undefined, { cause: error });
  }
}

const commonHeaders = ({ headers }: Options, method: string): HeaderValues =>
  typeof headers === "function" ? headers(method) : { ...headers };

function initOf(options: Options, method: string, { body, headers, signal, redirect }: SendInput): Exchange {
  const { apiKey, token, credentials } = options;
  const authorization = apiKey ? `ApiKey ${apiKey}` : token ? `Bearer ${token}` : undefined;
  const all: Record<string, string> = {};
  const sets = [{ accept: "application/json", authorization }, commonHeaders(options, method), headers];
  for (const [name, value] of sets.flatMap((set) => Object.entries(set ?? {}))) {
    if (value === undefined) delete all[name.toLowerCase()];
    else all[name.toLowerCase()] = value;
  }
  return {
    method,
    headers: all,
    ...(body instanceof FormData ? { body } : { json: body }),
    ...(signal && { signal }),
    ...(credentials && { credentials }),
    ...(redirect && { redirect }),
  };
}

/**
 * `AbortSignal.any` is missing in Node 18. `release` ends the listening: a caller's signal may live through many
 * requests.
 */
function anyOf(first: AbortSignal, second: AbortSignal): { signal: AbortSignal; release(): void } {
  const both = new AbortController();
  const stops = [first, second].map((signal) => {
    const stop = () => both.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return () => signal.removeEventListener("abort", stop);
  });
  return {
    signal: both.signal,
    release: () => {
      for (const stop of stops) stop();
    },
  };
}

/** 128 random bits. `crypto` is not a global in Node 18, and `randomUUID` is missing on pages of plain HTTP. */
const newKey = (): string =>
  Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0"),
  ).join("");

/** Doubles from half a second, with a random part, so that many clients do not come back at the same moment. */
function pauseBefore(tries: number, retryAfter: number | undefined): number {
  const least = retryAfter === undefined ? 500 * 2 ** tries : retryAfter * 1_000;
  return Math.min(least * (1 + Math.random() / 4), maxPause);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
