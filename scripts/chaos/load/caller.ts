// Requests as a careful client sends them: repeated with the same Idempotency-Key, at the same or another process,
// until there is a final response. Every attempt is a line of evidence.
import { randomUUID } from "node:crypto";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import type { Call, Operation, PlannedEvent } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { type Answer, parseJson, sendRequest } from "./http.ts";
import type { LoadEnvironment } from "./world.ts";

export type Wanted = {
  environment: LoadEnvironment;
  client: string;
  operation: Operation;
  method: "POST" | "DELETE" | "PATCH";
  path: string;
  body?: unknown;
  /** The transaction id of the body does what an Idempotency-Key would. */
  hasNoKey?: boolean;
  events?: PlannedEvent[];
  target?: Call["target"];
  /** What the response says, for the evidence. */
  read?(body: unknown): Pick<Call, "transactionIds" | "answer">;
};

/** A final response. */
export type Final = { status: number; body: unknown; transactionIds: string[] };

export type Caller = {
  /** Null if there was no final response in time: what was wanted may have happened. */
  call(wanted: Wanted): Promise<Final | null>;
  /** One attempt without repeats: for reads, and for clients that are allowed to lose. */
  attempt(read: Read): Promise<Answer>;
  figures(): { answered: number; failed: number; unanswered: number; open: number };
  /** From now on, requests without a final response are given up at this moment (performance.now). */
  giveUpAt(moment: number): void;
  /** Waits for all open requests, and for the deliberate repeats. */
  settle(): Promise<void>;
};

type Read = {
  environment: LoadEnvironment;
  client: string;
  operation: Operation;
  url: string;
  path: string;
  timeoutMs: number;
};

const requestMs = 20_000;
const firstRepeatMs = 300;
const longestRepeatMs = 3_000;
/** The share of completed requests that are sent again, as by a client that has missed the response. */
const replayedShare = 0.02;
const mostReplays = 200;

type Tools = { urls: string[]; evidence: EvidenceWriter; seed: number };

export function createCaller({ urls, evidence, seed }: Tools): Caller {
  const random = createRandom(seed, "caller");
  const open = new Set<Promise<unknown>>();
  const counts = { answered: 0, failed: 0, unanswered: 0 };
  let deadline = Number.POSITIVE_INFINITY;
  let requests = 0;
  let replays = 0;

  const track = <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    return work.finally(() => open.delete(work));
  };
  const tryOnce = async (wanted: Wanted, { request, attempt, url }: Attempt) => {
    const { environment, client, operation, method, path, events, target } = wanted;
    const at = Date.now();
    const headers = {
      authorization: `ApiKey ${environment.apiKey}`,
      ...(!wanted.hasNoKey && { "idempotency-key": request }),
    };
    const body = wanted.body === undefined ? undefined : JSON.stringify(wanted.body);
    const answer = await sendRequest({ url, method, path, headers, body, timeoutMs: requestMs });
    const parsed = answer.status === null ? null : parseJson(answer.body);
    const succeeded = answer.status !== null && answer.status < 300;
    const found = succeeded ? (wanted.read?.(parsed) ?? {}) : {};
    evidence.call({
      ...{ request, attempt, client, environment: environment.name, operation, url, at, endedAt: Date.now() },
      ...{ status: answer.status, ...faultOf(answer, parsed), events, target, ...found },
    });
    return { answer, parsed, transactionIds: found.transactionIds ?? [] };
  };
  const replayLater = (wanted: Wanted, made: Attempt) => {
    if (replays >= mostReplays || !random.chance(replayedShare)) return;
    replays++;
    const again = { ...made, attempt: made.attempt + 1, url: random.pick(urls) };
    const replay = async () => {
      await pause(random.between(500, 15_000), deadline);
      await tryOnce(wanted, again);
      replays--;
    };
    void track(replay());
  };
  const callUntilFinal = async (wanted: Wanted): Promise<Final | null> => {
    const request = randomUUID();
    let url = urls[requests++ % urls.length]!;
    let waitMs = firstRepeatMs;
    for (let attempt = 1; ; attempt++) {
      const made = { request, attempt, url };
      const { answer, parsed, transactionIds } = await tryOnce(wanted, made);
      if (answer.status !== null && isFinal(answer.status, parsed)) {
        counts.answered++;
        replayLater(wanted, made);
        return { status: answer.status, body: parsed, transactionIds };
      }
      counts.failed++;
      const restMs = Math.max(waitMs * random.between(0.5, 1.5), answer.retryAfterMs ?? 0);
      if (performance.now() + restMs > deadline) {
        counts.unanswered++;
        return null;
      }
      await pause(restMs, deadline);
      waitMs = Math.min(longestRepeatMs, waitMs * 2);
      if (random.chance(0.5)) url = pickOther(random, urls, url);
    }
  };
  return {
    call: (wanted) => track(callUntilFinal(wanted)),
    async attempt({ environment, client, operation, url, path, timeoutMs }) {
      const at = Date.now();
      const headers = { authorization: `ApiKey ${environment.apiKey}` };
      const answer = await sendRequest({ url, method: "GET", path, headers, timeoutMs });
      evidence.call({
        ...{ request: randomUUID(), attempt: 1, client, environment: environment.name, operation, url, at },
        ...{ endedAt: Date.now(), status: answer.status, target: { text: path } },
        ...faultOf(answer, answer.status !== null && answer.status >= 400 ? parseJson(answer.body) : null),
      });
      return answer;
    },
    figures: () => ({ ...counts, open: open.size }),
    giveUpAt(moment) {
      deadline = moment;
    },
    async settle() {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}

type Attempt = { request: string; attempt: number; url: string };

/** An error that another attempt may not have. */
const isFinal = (status: number, body: unknown): boolean =>
  status < 500 && ![408, 425, 429].includes(status) && codeOf(body) !== "IDEMPOTENCY_IN_PROGRESS";

const codeOf = (body: unknown): string | undefined => (body as { code?: string } | null)?.code;

function faultOf({ status, fault }: Answer, body: unknown): { fault?: string } {
  if (status === null) return { fault: fault ?? "unknown" };
  return status < 300 ? {} : { fault: codeOf(body) ?? String(status) };
}

const pickOther = (random: Random, urls: string[], url: string): string => {
  const others = urls.filter((one) => one !== url);
  return others.length === 0 ? url : random.pick(others);
};

/** Ends at the deadline if that is earlier. */
export async function pause(ms: number, deadline = Number.POSITIVE_INFINITY): Promise<void> {
  const end = performance.now() + ms;
  for (;;) {
    const restMs = Math.min(end, deadline) - performance.now();
    if (restMs <= 0) return;
    // The deadline may be set meanwhile.
    await new Promise((resolve) => setTimeout(resolve, Math.min(restMs, 500)));
  }
}
