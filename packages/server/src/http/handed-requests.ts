// Requests that one thread hands over to another (threads.ts): as plain data, because threads share no objects. The body goes as its text,
// which takes less time to copy and to parse again than a copy of its value.
import type { OperationId } from "@tidings/contract";
import type { MetricObject } from "prom-client";
import type { Caller, NetworkCtx, Source } from "../context.ts";
import type { DatabaseFault } from "../store/faults.ts";
import { type Answer, type CallRequest, createCallMaker, type MakeCall } from "./call.ts";
import { type ErrorAnswer, errorAnswer, failureOfFault } from "./errors.ts";
import { routes } from "./routes.ts";
import { answerAll, type SharedCall, type SharedHandler } from "./shared-transaction.ts";

type HandedRequest = Pick<CallRequest, "method" | "url" | "params" | "query" | "mayHoldUnstorableText"> & {
  caller: Caller;
  source: Source;
  key: string | null;
  text: string;
};

/** `fault`: of the database, which kept the request from being answered. */
type HandedAnswer = Omit<Answer, "isText"> & { headers: Record<string, string>; fault?: DatabaseFault };

/** Requests of one operation and one environment, which may share a transaction. */
export type HandedRequests = { operation: OperationId; requests: HandedRequest[] };

/** Another thread that answers requests. */
export type Thread = { answer(handed: HandedRequests): Promise<HandedAnswer[]> };

/** The threads of this process that answer requests. */
export type Threads = {
  /** Runs work where there is least to do: in another thread, or (null) in this one, which is preferred for small work. */
  run<T>(isSmall: boolean, work: (thread: Thread | null) => Promise<T>): Promise<T>;
  /** This one included. */
  count(): number;
  /** The metrics of the others, and of those that have ended. */
  readMetrics(): Promise<MetricObject[][]>;
};

/** The answers of another thread to calls whose text was kept. */
export async function handOver(
  thread: Thread,
  operation: OperationId,
  calls: SharedCall[],
): Promise<PromiseSettledResult<Answer>[]> {
  const requests = calls.map(({ request, caller, source, key }) => {
    const { method, url, params, query, mayHoldUnstorableText } = request;
    const text = request.text!;
    return { method, url, params, query, mayHoldUnstorableText, caller, source: source(), key, text };
  });
  const answers = await thread.answer({ operation, requests });
  return answers.map(({ headers, fault, ...value }, index) => {
    if (fault) return { status: "rejected", reason: failureOfFault(fault) };
    calls[index]!.reply.headers(headers);
    return { status: "fulfilled", value };
  });
}

/** Answers what another thread hands over. */
export function createHandedAnswer(ctx: NetworkCtx): Thread["answer"] {
  const makers = new Map<OperationId, MakeCall>();
  const makerOf = (id: OperationId): MakeCall => {
    const known = makers.get(id) ?? createCallMaker(ctx, id, routes[id] as SharedHandler);
    makers.set(id, known);
    return known;
  };
  return async ({ operation, requests }) => {
    const makeCall = makerOf(operation);
    const received = await Promise.allSettled(requests.map(async (request) => receive(ctx, makeCall, request)));
    const calls = received.flatMap((one) => (one.status === "fulfilled" ? [one.value.call] : []));
    const results = await answerAll(ctx, routes[operation] as SharedHandler, calls).catch((reason) =>
      calls.map(() => ({ status: "rejected" as const, reason })),
    );
    const resultOf = new Map(calls.map((call, index) => [call, results[index]!]));
    return received.map((one, index) => {
      const fail = (reason: unknown, headers = {}): HandedAnswer => ({
        ...toHandedAnswer(errorAnswer(reason, { url: requests[index]!.url, log: ctx.log }), headers),
        fault: ctx.faults.note(reason) ?? undefined,
      });
      // A request that cannot be received is refused alone.
      if (one.status === "rejected") return fail(one.reason);
      const { call, headers } = one.value;
      const result = resultOf.get(call)!;
      if (result.status === "rejected") return fail(result.reason, headers);
      return { status: result.value.status, body: result.value.body, headers };
    });
  };
}

const toHandedAnswer = (answer: ErrorAnswer, headers: Record<string, string>): HandedAnswer => ({
  status: answer.status,
  body: JSON.stringify(answer.body),
  headers: { ...headers, ...answer.headers },
});

function receive(ctx: NetworkCtx, makeCall: MakeCall, handed: HandedRequest) {
  const { caller, source, key, text, ...parts } = handed;
  const headers: Record<string, string> = {};
  const reply = {
    header(name: string, value: string) {
      headers[name] = value;
    },
    headers(values: Record<string, string>) {
      Object.assign(headers, values);
    },
  };
  const sent = key === null ? {} : { "idempotency-key": key };
  const request: CallRequest = { ...parts, headers: sent, caller, text: null, body: JSON.parse(text), log: ctx.log };
  const call: SharedCall = { ...makeCall(request, reply, { caller, source: () => source }), caller, key };
  return { call, headers };
}
