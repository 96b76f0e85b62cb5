// The ledger: what clients asked for, and what they know about the outcome. An event is accepted if a request with it
// was successful, refused if every attempt was refused, and of unknown outcome otherwise: then it may have
// happened once, or not at all.
import type { Call, PlannedEvent, Run, WorkflowPromise } from "./evidence.ts";

type Outcome = "accepted" | "refused" | "unknown";

/** A cancel or a retraction: when it was asked for, and when the response came. */
type Undo = { outcome: Outcome; at: number; answeredAt: number; didSomething: boolean; id?: string };

export type EventEntry = {
  text: string;
  environment: string;
  promise: WorkflowPromise;
  workflowId: string;
  to: readonly string[];
  operation: Call["operation"];
  topic?: string;
  client: string;
  request: string;
  outcome: Outcome;
  transactionId: string | null;
  /** The first attempt began. */
  sentAt: number;
  /** The first successful response came; of other outcomes, the last attempt ended. */
  answeredAt: number;
  cancel: Undo | null;
  retraction: Undo | null;
};

export type Signal = { environment: string; person: string; name: string; key?: string } & Undo;

/** Responses to one request that contradict each other. */
type Contradiction = { request: string; environment: string; at: number; what: string };

export type Ledger = {
  /** By text. */
  events: Map<string, EventEntry>;
  /** By environment and transaction id. */
  byTransaction: Map<string, EventEntry>;
  signals: Signal[];
  /** Requests with a key that were successful at least twice. */
  repeatedRequests: number;
  contradictions: Contradiction[];
  calls: number;
  /** Requests that ended without a response, or with an error of the service. */
  failures: { at: number; endedAt: number }[];
};

export const keyOf = (environment: string, name: string): string => `${environment} ${name}`;

/** Requests that ask for events. */
const triggers = new Set<Call["operation"]>(["trigger", "bulk", "topic", "broadcast", "sql"]);
const undoes = new Set<Call["operation"]>(["cancel", "retract", "signal"]);

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Refused for good: the service returns 408, 425 and 429 for what it has not done, 5xx also for what it may have. */
const isRefused = (status: number | null): boolean => status !== null && status >= 400 && status < 500;

/** A response that no repeat changes. */
const isFinal = ({ status, fault }: Call): boolean =>
  isSuccess(status) || (isRefused(status) && ![408, 425, 429].includes(status!) && fault !== "IDEMPOTENCY_IN_PROGRESS");

type Request = {
  operation: Call["operation"];
  environment: string;
  client: string;
  outcome: Outcome;
  successes: number;
  /** What the first success said. */
  success: string;
  sentAt: number;
  answeredAt: number;
  events: PlannedEvent[];
  transactionIds: string[];
  target: Call["target"];
  answer: unknown;
};

export type LedgerReader = { add(call: Call): void; end(): Ledger };

export function readLedger(run: Run): LedgerReader {
  const requests = new Map<string, Request>();
  const contradictions: Contradiction[] = [];
  const failures: Ledger["failures"] = [];
  let calls = 0;
  const add = (call: Call) => {
    calls++;
    const { operation, request, at, endedAt, status } = call;
    if (status === null || status >= 500) failures.push({ at, endedAt });
    if (!triggers.has(operation) && !undoes.has(operation)) return;
    const known = requests.get(request);
    if (!known) return void requests.set(request, openRequest(call));
    addAttempt(known, call, (what) =>
      contradictions.push({ request, environment: call.environment, at: call.endedAt, what }),
    );
  };
  return { add, end: () => ({ ...toLedger(run, requests, contradictions), calls, failures }) };
}

function openRequest(call: Call): Request {
  const {
    operation,
    environment,
    client,
    status,
    at,
    endedAt,
    events = [],
    transactionIds = [],
    target,
    answer,
  } = call;
  const outcome = isSuccess(status) ? "accepted" : isRefused(status) ? "refused" : "unknown";
  const successes = outcome === "accepted" ? 1 : 0;
  return {
    ...{ operation, environment, client, outcome, successes, sentAt: at, answeredAt: endedAt },
    success: successes > 0 ? describeSuccess(call) : "",
    ...{ events, transactionIds, target, answer },
  };
}

const describeSuccess = ({ status, transactionIds = [], answer }: Call): string =>
  [status, ...transactionIds, ...(answer === undefined ? [] : [JSON.stringify(answer)])].join(" ");

function addAttempt(known: Request, call: Call, contradict: (what: string) => void): void {
  const { status, at, endedAt, transactionIds = [] } = call;
  const said = isSuccess(status) ? describeSuccess(call) : String(status);
  if (known.outcome === "accepted" && isFinal(call) && said !== known.success)
    contradict(`answered with ${known.success}, and again with ${said}`);
  known.sentAt = Math.min(known.sentAt, at);
  if (isSuccess(status)) {
    known.successes++;
    if (known.outcome === "accepted") {
      known.answeredAt = Math.min(known.answeredAt, endedAt);
      return;
    }
    const found = { outcome: "accepted", answeredAt: endedAt, transactionIds, answer: call.answer, success: said };
    Object.assign(known, found);
  } else if (known.outcome !== "accepted") {
    known.answeredAt = Math.max(known.answeredAt, endedAt);
    // What may have happened at one attempt is not undone by a refusal of the next.
    if (!isRefused(status)) known.outcome = "unknown";
  }
}

type Indexes = { texts: Map<string, string>; promises: Map<string, WorkflowPromise> };

function toLedger(
  run: Run,
  requests: Map<string, Request>,
  contradictions: Contradiction[],
): Omit<Ledger, "calls" | "failures"> {
  const promises = new Map(run.workflows.map(({ workflowId, promise }) => [workflowId, promise]));
  const indexes = { texts: new Map<string, string>(), promises };
  const lists = new Map<string, readonly string[]>();
  const events = new Map<string, EventEntry>();
  const byTransaction = new Map<string, EventEntry>();
  let repeatedRequests = 0;
  for (const [request, known] of requests) {
    if (known.successes > 1) repeatedRequests++;
    for (const [index, event] of known.events.entries()) {
      const entry = toEntry(request, known, { event, index, indexes, lists });
      if (!entry) continue;
      events.set(entry.text, entry);
      if (entry.transactionId) byTransaction.set(keyOf(entry.environment, entry.transactionId), entry);
    }
  }
  const signals = addUndoes([...requests.values()], events, byTransaction);
  return { events, byTransaction, signals, repeatedRequests, contradictions };
}

type Placed = { event: PlannedEvent; index: number; indexes: Indexes; lists: Map<string, readonly string[]> };

function toEntry(request: string, known: Request, { event, index, indexes, lists }: Placed): EventEntry | null {
  const promise = indexes.promises.get(event.workflowId);
  if (!promise) return null;
  const list = event.to.join(" ");
  if (!lists.has(list)) lists.set(list, event.to);
  const { environment, operation, client, outcome, sentAt, answeredAt, transactionIds } = known;
  return {
    text: event.text,
    ...{ environment, promise, workflowId: event.workflowId, to: lists.get(list)!, operation, topic: event.topic },
    ...{ client, request, outcome, transactionId: transactionIds[index] ?? null, sentAt, answeredAt },
    ...{ cancel: null, retraction: null },
  };
}

/** Notes cancels and retractions with their events. Returns the signals. */
function addUndoes(
  requests: Request[],
  events: Map<string, EventEntry>,
  byTransaction: Map<string, EventEntry>,
): Signal[] {
  const signals: Signal[] = [];
  for (const { operation, environment, outcome, sentAt, answeredAt, target = {}, answer } of requests) {
    if (!undoes.has(operation)) continue;
    const undo = { outcome, at: sentAt, answeredAt, didSomething: readAnswer(answer), id: readId(answer) };
    const { text, transactionId, subscriberId, signal } = target;
    if (operation === "signal") {
      if (subscriberId && signal) signals.push({ environment, person: subscriberId, name: signal, key: text, ...undo });
      continue;
    }
    const entry =
      (transactionId === undefined ? undefined : byTransaction.get(keyOf(environment, transactionId))) ??
      (text === undefined ? undefined : events.get(text));
    if (!entry || outcome === "refused") continue;
    const kind = operation === "cancel" ? "cancel" : "retraction";
    // The one of two requests that did something decides.
    if (!entry[kind]?.didSomething) entry[kind] = undo;
  }
  return signals;
}

/** Whether something was canceled, or runs were reached. */
function readAnswer(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  if (typeof answer === "number") return answer > 0;
  if (typeof answer !== "object" || answer === null) return false;
  const { data, reached } = answer as { data?: unknown; reached?: unknown };
  return reached !== undefined ? readAnswer(reached) : readAnswer(data);
}

function readId(answer: unknown): string | undefined {
  if (typeof answer === "string") return answer;
  if (typeof answer !== "object" || answer === null) return undefined;
  const { id, _id, data } = answer as { id?: unknown; _id?: unknown; data?: unknown };
  return readId(id ?? _id ?? data);
}

/** Whether the event may be sent less than its promise says, because a client undid it. */
export const isUndone = ({ cancel, retraction }: EventEntry): boolean =>
  retraction !== null || (cancel !== null && (cancel.outcome === "unknown" || cancel.didSomething));
