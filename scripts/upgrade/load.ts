// Triggers of mixed kinds at a steady rate, and the ledger of what was accepted. A request that fails is repeated with
// the same Idempotency-Key, as clients do, until it is accepted.
import { randomUUID } from "node:crypto";

export const kinds = ["single", "bulk", "delay", "digest", "email", "sms"] as const;
export type Kind = (typeof kinds)[number];

/** `text` is unique, and is the text of the message. */
export type Planned = { kind: Kind; text: string; subscriberId: string };
export type Accepted = Planned & { transactionId: string };

type Outage = {
  failures: number;
  statuses: Map<string, number>;
  /** From the first request that failed to the first one that succeeded after the last failure. */
  seconds: number;
  /** The longest time in which no request succeeded. */
  silentSeconds: number;
};

export type Load = {
  accepted: Accepted[];
  outage(): Outage;
  /** No new requests; those that were not accepted yet are repeated until they are, for a minute at most. */
  stop(): Promise<void>;
  /** Events whose last request failed. They may have happened. */
  unaccepted: Planned[];
};

type LoadOptions = { urls: string[]; apiKey: string; subscribers: string[]; digestSubscribers: string[] };

/** Requests a second. */
const rates: Record<Kind, number> = { single: 4, bulk: 0.5, delay: 2, digest: 2, email: 2, sms: 2 };
const eventsPerBulk = 10;
const requestMs = 20_000;
const repeatMs = 500;
const lastRepeatsMs = 60_000;

const workflowOf: Record<Kind, string> = {
  single: "now",
  bulk: "now",
  delay: "later",
  digest: "collected",
  email: "mailed",
  sms: "texted",
};

export function startLoad({ urls, apiKey, subscribers, digestSubscribers }: LoadOptions): Load {
  const accepted: Accepted[] = [];
  const statuses = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let sequence = 0;
  let firstFailureAt: number | null = null;
  let lastFailureAt = 0;
  let successAfterAt = 0;
  let succeededAt = performance.now();
  let silentMs = 0;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const unaccepted: Planned[] = [];

  const plan = (kind: Kind): Planned => {
    const n = sequence++;
    const people = kind === "digest" ? digestSubscribers : subscribers;
    return { kind, text: `${kind}-${n}`, subscriberId: people[n % people.length]! };
  };
  const noteFailure = (reason: string, startedAt: number) => {
    statuses.set(reason, (statuses.get(reason) ?? 0) + 1);
    firstFailureAt ??= startedAt;
    lastFailureAt = performance.now();
    successAfterAt = 0;
  };
  const noteSuccess = (startedAt: number) => {
    silentMs = Math.max(silentMs, performance.now() - succeededAt);
    succeededAt = performance.now();
    if (firstFailureAt !== null && successAfterAt === 0 && startedAt > lastFailureAt)
      successAfterAt = performance.now();
  };
  const send = async (url: string, events: Planned[]): Promise<void> => {
    const isBulk = events.length > 1;
    const bodies = events.map(({ kind, text, subscriberId }) => ({
      name: workflowOf[kind],
      to: subscriberId,
      payload: { text },
    }));
    const request = {
      method: "POST",
      headers: {
        authorization: `ApiKey ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify(isBulk ? { events: bodies } : bodies[0]),
    };
    for (;;) {
      const startedAt = performance.now();
      const result = await post(`${url}/v1/events/trigger${isBulk ? "/bulk" : ""}`, request);
      if (result.ids) {
        noteSuccess(startedAt);
        for (const [n, transactionId] of result.ids.entries()) accepted.push({ ...events[n]!, transactionId });
        return;
      }
      noteFailure(result.reason, startedAt);
      if (performance.now() > giveUpAt) return void unaccepted.push(...events);
      await new Promise((resolve) => setTimeout(resolve, repeatMs));
    }
  };
  const timers = kinds.map((kind) =>
    setInterval(() => {
      const events = Array.from({ length: kind === "bulk" ? eventsPerBulk : 1 }, () => plan(kind));
      const sending = send(urls[sequence % urls.length]!, events);
      open.add(sending);
      sending.finally(() => open.delete(sending));
    }, 1_000 / rates[kind]),
  );
  return {
    accepted,
    unaccepted,
    outage: () => ({
      failures: [...statuses.values()].reduce((sum, count) => sum + count, 0),
      statuses,
      seconds: firstFailureAt === null ? 0 : ((successAfterAt || performance.now()) - firstFailureAt) / 1_000,
      silentSeconds: silentMs / 1_000,
    }),
    async stop() {
      for (const timer of timers) clearInterval(timer);
      giveUpAt = performance.now() + lastRepeatsMs;
      await Promise.all(open);
    },
  };
}

type Result = { ids: string[]; reason?: undefined } | { ids: null; reason: string };

async function post(url: string, request: RequestInit): Promise<Result> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(requestMs) });
    // biome-ignore lint/suspicious/noExplicitAny: a single result, or a list of them
    const body: any = await response.json();
    if (response.status !== 201) return { ids: null, reason: `${response.status} ${body.code ?? ""}`.trim() };
    const results = Array.isArray(body) ? body : [body.data ?? body];
    const ids: string[] = results.map((one: { transactionId: string }) => one.transactionId);
    return ids.every(Boolean) ? { ids } : { ids: null, reason: JSON.stringify(results) };
  } catch (error) {
    return { ids: null, reason: (error as Error).name };
  }
}
