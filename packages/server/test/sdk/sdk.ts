// The published SDK as a client of a running service: calls a function by name, lets the SDK check request and
// response, and records which functions were called and rejected.
import { NovuCore } from "@novu/api/core.js";
import { HTTPClient } from "@novu/api/lib/http.js";
import { operations } from "@tidings/contract";
import { type FunctionName, functions } from "./functions.ts";

type Run<N extends FunctionName> = (typeof functions)[N]["run"];
type Arguments<N extends FunctionName> = Parameters<Run<N>> extends [unknown, ...infer Rest] ? Rest : never;
type Outcome<N extends FunctionName> = Awaited<ReturnType<Run<N>>>;
type Value<N extends FunctionName> = Extract<Outcome<N>, { ok: true }>["value"];
/** The response of the API: the SDK wraps most of them together with the headers. */
type Result<N extends FunctionName> = Value<N> extends infer V ? (V extends { result: infer R } ? R : V) : never;

export type Sdk = {
  call<N extends FunctionName>(name: N, ...args: Arguments<N>): Promise<Result<N>>;
  /** Calls, expects a refusal and returns it. */
  refused<N extends FunctionName>(name: N, ...args: Arguments<N>): Promise<unknown>;
  called: Set<FunctionName>;
  rejected: Map<FunctionName, string>;
};

/** Functions whose operation the service does not serve yet, derived from the contract. */
export const notServedYet = (Object.keys(functions) as FunctionName[]).filter(
  (name) => !Object.hasOwn(operations, functions[name].operation),
);

export const createCore = (url: string, apiKey: string, fetcher?: typeof fetch): NovuCore =>
  new NovuCore({
    serverURL: url,
    secretKey: apiKey,
    retryConfig: { strategy: "none" },
    ...(fetcher ? { httpClient: new HTTPClient({ fetcher: (input, init) => fetcher(input as Request, init) }) } : {}),
  });

/** A second SDK object with another key shares the records of the first. */
export function createSdk(core: NovuCore, book?: Pick<Sdk, "called" | "rejected">): Sdk {
  const called = book?.called ?? new Set<FunctionName>();
  const rejected = book?.rejected ?? new Map<FunctionName, string>();
  const run = async (name: FunctionName, args: readonly unknown[]) => {
    called.add(name);
    const { run } = functions[name] as { run: (core: NovuCore, ...rest: unknown[]) => Promise<AnyOutcome> };
    return run(core, ...args);
  };
  return {
    called,
    rejected,
    async call(name, ...args) {
      const outcome = await run(name, args);
      if (outcome.ok) return unwrap(outcome.value) as never;
      rejected.set(name, wordsOf(outcome.error));
      throw new Error(`${name}: ${wordsOf(outcome.error)}`);
    },
    async refused(name, ...args) {
      const outcome = await run(name, args);
      if (outcome.ok) throw new Error(`${name} was expected to be refused`);
      return outcome.error;
    },
  };
}

type AnyOutcome = { ok: true; value: unknown } | { ok: false; error: Error };

const unwrap = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "result" in value ? value.result : value;

/** The validation error of the SDK in full. */
function wordsOf(error: Error): string {
  const { cause, body } = error as { cause?: unknown; body?: unknown };
  const reason = cause instanceof Error ? cause.message : "";
  return [error.name, error.message, reason, typeof body === "string" ? body.slice(0, 2_000) : ""]
    .filter((part) => part !== "")
    .join("\n");
}
