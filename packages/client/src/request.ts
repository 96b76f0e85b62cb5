// One request: its address, its tries, its answer. All tries of a request that changes something carry the same idempotency key,
// so that the service does the work once, however many of them reach it.
import type { OperationId } from "@tidings/contract";
import { TidingsError } from "./error.ts";
import { operationPaths } from "./operations.gen.ts";

export type Options = {
  /** Origin of the service, with a path prefix where it is behind one: `https://tidings.example.com`. */
  baseUrl: string;
  /** The secret key of an environment: for servers only. */
  apiKey?: string;
  /** The token of an inbox session: what a browser uses in place of the key. */
  token?: string;
  /** Tries after the first one, of a request that got no answer, 408, 429, 500, 502, 503 or 504. */
  retries?: number;
  /** Milliseconds that one try may take. */
  timeout?: number;
  /** Sent with every request. */
  headers?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
};

type Input = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
};

const repeatable = new Set([0, 408, 429, 500, 502, 503, 504]);
const longestPause = 30_000;

export async function request<T>(options: Options, id: OperationId, input: Input): Promise<T> {
  const [method, path] = operationPaths[id];
  const url = addressOf(options.baseUrl, path, input);
  const headers = headersOf(options, method, input);
  for (let tries = 0; ; tries++) {
    try {
      return await tryOnce<T>(options, id, url, { method, headers, body: bodyOf(input.body) }, input.signal);
    } catch (error) {
      const isLast = tries >= (options.retries ?? 3) || input.signal?.aborted;
      if (isLast || !(error instanceof TidingsError) || !repeatable.has(error.status)) throw error;
      await pause(pauseBefore(tries, error.retryAfter), input.signal);
    }
  }
}

async function tryOnce<T>(options: Options, id: OperationId, url: string, init: RequestInit, signal?: AbortSignal) {
  const limit = AbortSignal.timeout(options.timeout ?? 30_000);
  const both = signal && anyOf(signal, limit);
  let response: Response;
  let text: string;
  try {
    response = await (options.fetch ?? fetch)(url, { ...init, signal: both?.signal ?? limit });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new TidingsError(id, 0, undefined, { cause: error });
  } finally {
    both?.release();
  }
  const body = parse(text);
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  // A proxy's HTML page with status 200 must not pass for the record that was asked for.
  if (!response.ok || typeof body === "string")
    throw new TidingsError(id, response.status, body, Number.isFinite(retryAfter) ? { retryAfter } : {});
  return body as T;
}

/** `AbortSignal.any` is missing in Node 18. `release` ends the listening: a caller's signal may live through many requests. */
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

function addressOf(baseUrl: string, path: string, { params = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name] ?? "");
    // URL parsers resolve these even when percent-encoded: another resource would be addressed.
    if (["", ".", ".."].includes(value)) throw new TypeError(`${name} cannot be "${value}" in a path`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  return `${baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl}${filled}${search.toString() && `?${search}`}`;
}

function headersOf({ apiKey, token, headers }: Options, method: string, input: Input): Record<string, string> {
  const all: Record<string, string | undefined> = {
    accept: "application/json",
    authorization: apiKey ? `ApiKey ${apiKey}` : token ? `Bearer ${token}` : undefined,
    "content-type": input.body === undefined || input.body instanceof FormData ? undefined : "application/json",
    "idempotency-key": apiKey && (method === "POST" || method === "PATCH") ? newKey() : undefined,
    ...headers,
    ...input.headers,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const bodyOf = (body: unknown): RequestInit["body"] =>
  body === undefined ? undefined : body instanceof FormData ? body : JSON.stringify(body);

/** 128 random bits. `crypto` is no global in Node 18, and `randomUUID` is missing on pages of plain HTTP. */
const newKey = (): string =>
  Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0"),
  ).join("");

/** Doubles from half a second, with a random part, so that many clients do not come back at the same moment. */
function pauseBefore(tries: number, retryAfter: number | undefined): number {
  const least = retryAfter === undefined ? 500 * 2 ** tries : retryAfter * 1_000;
  return Math.min(least * (1 + Math.random() / 4), longestPause);
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

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
