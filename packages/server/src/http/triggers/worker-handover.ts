// Batches that the main thread posts to a worker thread (threads/pool.ts): as plain data, because threads share no
// objects. A body is posted as its text, which takes less time to copy and to parse again than a copy of its value.
import type { OperationId } from "@tidings/contract";
import type { MetricObject } from "prom-client";
import type { Caller, NetworkCtx, Source } from "../../context.ts";
import type { DatabaseFault } from "../../store/faults.ts";
import { errorAnswer, failureOfFault } from "../errors.ts";
import { type Call, type CallRequest, type CallResponse, createCallMaker, type MakeCall } from "../request/call.ts";
import { handlerOf } from "../routes.ts";
import { type BatchResults, runBatch } from "./batch.ts";

type PostedRequest = Pick<
  CallRequest,
  "id" | "method" | "url" | "params" | "query" | "mayHoldUnstorableText" | "trace"
> & {
  caller: Caller;
  source: Source;
  key: string | null;
  text: string;
};

/** `fault`: of the database, because of which there is no other response. */
type PostedResponse = Pick<CallResponse, "status" | "body"> & {
  headers: Record<string, string>;
  fault?: DatabaseFault;
};

export type PostedBatch = { operation: OperationId; requests: PostedRequest[] };

export type WorkerThread = { runBatch(batch: PostedBatch): Promise<PostedResponse[]> };

/** The threads of this process: the main thread, and worker threads under load. */
export type WorkerPool = {
  /**
   * Runs work in the thread with the fewest batches: a worker thread, or (null) this one, which is preferred for small
   * work.
   */
  run<T>(isSmall: boolean, work: (thread: WorkerThread | null) => Promise<T>): Promise<T>;
  /** Threads, including this one. */
  count(): number;
  /** The metrics of the worker threads, including those that have ended. */
  readMetrics(): Promise<MetricObject[][]>;
};

/** Runs the batch in a worker thread. All calls have the text of their body. */
export async function dispatchBatch(
  thread: WorkerThread,
  operation: OperationId,
  calls: Call[],
): Promise<BatchResults> {
  const requests = calls.map(({ request, source, sentKey: key }) => {
    const { id, method, url, params, query, mayHoldUnstorableText, trace } = request;
    const [caller, text] = [request.caller!, request.text!];
    return { id, method, url, params, query, mayHoldUnstorableText, trace, caller, source: source(), key, text };
  });
  const responses = await thread.runBatch({ operation, requests });
  return responses.map(({ headers, fault, ...value }, index) => {
    if (fault) return { status: "rejected", reason: failureOfFault(fault) };
    calls[index]!.reply.headers(headers);
    return { status: "fulfilled", value };
  });
}

/** Runs the batches that the main thread posts. */
export function createBatchReceiver(ctx: NetworkCtx): WorkerThread["runBatch"] {
  const makers = new Map<OperationId, MakeCall>();
  const makerOf = (id: OperationId): MakeCall => {
    const known = makers.get(id) ?? createCallMaker(ctx, id);
    makers.set(id, known);
    return known;
  };
  return async ({ operation, requests }) => {
    const handler = handlerOf(operation);
    if (!("batch" in handler)) throw new Error(`${operation} does not handle batches`);
    const makeCall = makerOf(operation);
    const received = await Promise.allSettled(requests.map(async (request) => receive(ctx, makeCall, request)));
    const calls = received.flatMap((one) => (one.status === "fulfilled" ? [one.value.call] : []));
    const results = calls.length > 0 ? await runBatch(ctx, handler, calls) : [];
    const resultOf = new Map(calls.map((call, index) => [call, results[index]!]));
    return received.map((one, index) => {
      const fail = (reason: unknown, headers: Record<string, string> = {}): PostedResponse => {
        const { url, id } = requests[index]!;
        const failed = errorAnswer(reason, { url, log: requestLog(ctx, id) });
        const fault = ctx.faults.note(reason) ?? undefined;
        return { ...failed, body: JSON.stringify(failed.body), headers: { ...headers, ...failed.headers }, fault };
      };
      // A request that cannot be received is refused alone.
      if (one.status === "rejected") return fail(one.reason);
      const { call, headers } = one.value;
      const result = resultOf.get(call)!;
      if (result.status === "rejected") return fail(result.reason, headers);
      return { status: result.value.status, body: result.value.body, headers };
    });
  };
}

/** Its lines have the id of the request, as those of the main thread. */
const requestLog = ({ log }: NetworkCtx, reqId: string) => log.child({ reqId });

function receive(ctx: NetworkCtx, makeCall: MakeCall, posted: PostedRequest) {
  const { caller, source, key, text, ...parts } = posted;
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
  const request: CallRequest = {
    ...parts,
    headers: sent,
    caller,
    text: null,
    body: JSON.parse(text),
    // Made for the few requests that log something.
    get log() {
      return requestLog(ctx, parts.id);
    },
  };
  return { call: makeCall(request, reply, { caller, source: () => source }), headers };
}
