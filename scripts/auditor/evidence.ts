// The evidence of a chaos run: what was seen outside of the service, as lines of JSON in one folder. The load writes it
// while it runs, the auditor and the report read it. Nothing in this folder imports code of the service, so that a
// mistake of the service cannot hide in what checks it.
//
//   run.json          the run: seed, plan, environments, people, workflows with what each one promises
//   calls.jsonl       every request of a client, with its response or the lack of one
//   streams.jsonl     what live inboxes received
//   deliveries.jsonl  what the fake providers received, and how they responded
//   faults.jsonl      when each fault began and ended, by the clock of the machine
//   finals.jsonl      what clients read when everything had come to rest
//
// Times are milliseconds since 1970 by the clock of the machine, which no fault moves.

export const files = {
  run: "run.json",
  calls: "calls.jsonl",
  streams: "streams.jsonl",
  deliveries: "deliveries.jsonl",
  faults: "faults.jsonl",
  finals: "finals.jsonl",
  /** Written by the auditor. */
  audit: "audit.json",
} as const;

export type Run = {
  seed: number;
  startedAt: number;
  /** The load ended, and the drain began. */
  loadEndedAt: number;
  endedAt: number;
  /** Whether nothing was in progress when clients read the finals. */
  isDrained?: boolean;
  /** `tidings`: the version and the commit; `before`: the tag or commit that rolling upgrades begin with. */
  versions: { tidings: string; before?: string; node: string; postgres: string };
  machine: { cores: number; memoryGb: number; platform: string };
  plan: PlannedFault[];
  environments: Environment[];
  workflows: Workflow[];
};

/** `name` is a part of every text that this environment sends, so that a text elsewhere is a proof. */
export type Environment = { name: string; id: string; people: Person[]; topics: { key: string; members: string[] }[] };

/** The same subscriber ids exist in every environment; address and phone number are unique. */
export type Person = { subscriberId: string; email: string; phone: string };

/** What a workflow promises for each event and recipient. Its messages contain the text of the event. */
export type Workflow = { workflowId: string; promise: WorkflowPromise };

export type WorkflowPromise =
  | { kind: "in_app" }
  /** The in-app message comes at least so many seconds after the event was accepted. */
  | { kind: "delay"; seconds: number }
  /** An in-app message whose body lists the texts of its events, separated by spaces. */
  | { kind: "digest"; seconds: number }
  /** An in-app message: the text and `signal`, or the text and `timeout`, separated by a space. */
  | { kind: "wait"; signal: string; timeoutSeconds: number }
  /** `afterSeconds`: after a delay. */
  | { kind: "email"; afterSeconds?: number }
  | { kind: "sms"; afterSeconds?: number }
  /** SMS under an attention budget: at most `limit` in `windowSeconds`; the others are listed in roll-ups (in-app). */
  | { kind: "budget"; limit: number; windowSeconds: number; overflow: "digest" | "drop" }
  /** Sends nothing. The explanation has to give this kind of reason. */
  | { kind: "silent"; reason: "condition" | "preference" | "workflow_off" };

/**
 * An event that a client wants. `text` is unique in the run: `<environment>-<workflow>-<number>`. `to` are the
 * recipients by subscriber id; `topic` or `broadcast` if they were addressed as such.
 */
export type PlannedEvent = { text: string; workflowId: string; to: string[]; topic?: string; broadcast?: true };

export type Operation =
  | "trigger"
  | "bulk"
  | "topic"
  | "broadcast"
  | "sql"
  | "cancel"
  | "retract"
  | "signal"
  | "dashboard"
  | "read";

/**
 * One attempt. Attempts with the same `request` are the same request, repeated with the same idempotency key. `status`
 * is null if no response came: the request may have happened. A call by SQL has 201 if its transaction was committed,
 * 409 if it was rolled back, and null if the response to the commit was lost.
 */
export type Call = {
  request: string;
  attempt: number;
  client: string;
  environment: string;
  operation: Operation;
  url: string;
  at: number;
  endedAt: number;
  status: number | null;
  /** The code of an error of the service, or the name of the error of the connection. */
  fault?: string;
  events?: PlannedEvent[];
  /** In the order of `events`, after a 201. */
  transactionIds?: string[];
  /** What a `cancel`, `retract` or `signal` is about. `signal` names the person instead. */
  target?: { text?: string; transactionId?: string; subscriberId?: string; signal?: string };
  /** After a `cancel`, whether something was canceled; after a `retract`, its id. */
  answer?: unknown;
};

export type StreamEvent = {
  environment: string;
  subscriberId: string;
  /** Each connection of this inbox gets the next number. */
  connection: number;
  at: number;
  name: "open" | "close" | "notification" | "update" | "counts" | "other";
  /** The id that the stream gives the event, from which a reconnection continues. */
  id?: string;
  messageId?: string;
  text?: string;
  counts?: { unread?: number; unseen?: number; total?: number };
};

/**
 * `lost`: accepted, and then the response was dropped. `late`: accepted after a pause. `twice`: accepted, with two
 * responses.
 */
export type DeliveryAnswer = "accepted" | "refused" | "hung" | "late" | "lost" | "twice";

export type Delivery = {
  provider: "smtp" | "sms";
  at: number;
  answeredAt: number;
  /** The id under which the service sends the message: the same at every attempt. */
  messageId: string;
  to: string;
  text: string;
  answer: DeliveryAnswer;
};

export type FaultKind =
  | "kill-process"
  | "stop-process"
  | "stop-thread"
  | "kill-database"
  | "restart-database"
  | "kill-backend"
  | "failover"
  | "cut-network"
  | "refuse-network"
  | "slow-network"
  | "disk-full"
  | "clock-back"
  | "clock-forward"
  | "connections"
  | "lock-tables"
  | "upgrade"
  | "provider-fails"
  | "provider-hangs"
  | "provider-loses-answers";

/** Seconds since the start of the load. `target`: the process, the database or the provider that it concerns. */
export type PlannedFault = { fault: FaultKind; startSeconds: number; seconds: number; target: string };

/** `problem`: the fault could not be injected, and why. Such a fault counts as not tried. */
export type FaultRecord = {
  fault: FaultKind;
  target: string;
  startedAt: number;
  endedAt: number;
  detail?: string;
  problem?: string;
};

export type Final =
  /** All messages of an inbox in the order of its list, page by page, and its counts. */
  | {
      kind: "inbox";
      environment: string;
      subscriberId: string;
      messages: {
        id: string;
        text: string;
        transactionId: string;
        createdAt: string;
        isRead: boolean;
        isSeen: boolean;
      }[];
      counts: { unread: number; unseen: number; total: number };
    }
  /** The explanation of one event for one person. */
  | { kind: "explain"; environment: string; transactionId: string; subscriberId: string; answer: unknown }
  /** One event as the activity shows it. */
  | { kind: "event"; environment: string; transactionId: string; status: string; answer: unknown }
  | { kind: "retraction"; environment: string; id: string; status: string; answer: unknown };

/** What the auditor says of a promise of docs/promises.md. `checked`: how many things were compared. */
export type Verdict = {
  promise: string;
  title: string;
  checked: number;
  broken: Break[];
  brokenCount: number;
  note?: string;
};

/** `fault`: the faults that were in effect around it. */
export type Break = { what: string; at?: number; faults?: FaultKind[]; detail?: unknown };

export type Audit = { at: number; seed: number; verdicts: Verdict[]; figures: Record<string, number> };
