// What clients read when everything had come to rest. Explanations are kept in short, because there are many.
import type { Final } from "./evidence.ts";
import { keyOf } from "./ledger.ts";

type InboxMessage = {
  id: string;
  text: string;
  transactionId: string;
  createdAt: number;
  isRead: boolean;
  isSeen: boolean;
};

export type Inbox = {
  environment: string;
  person: string;
  /** In the order of the list: the newest first. */
  messages: InboxMessage[];
  counts: { unread: number; unseen: number; total: number };
};

type ExplainedStep = { type: string; outcome: string; code: string | null };

export type Explanation = {
  environment: string;
  transactionId: string;
  person: string;
  reached: boolean | null;
  via: string | null;
  eventStatus: string | null;
  verdict: string;
  steps: ExplainedStep[];
};

export type Finals = {
  /** By environment and person. */
  inboxes: Map<string, Inbox>;
  explanations: Explanation[];
  events: { environment: string; transactionId: string; status: string }[];
  retractions: { environment: string; id: string; status: string; answer: unknown }[];
};

export type FinalsReader = { add(final: Final): void; end(): Finals };

export function readFinals(): FinalsReader {
  const finals: Finals = { inboxes: new Map(), explanations: [], events: [], retractions: [] };
  return {
    add(final) {
      switch (final.kind) {
        case "inbox":
          return void finals.inboxes.set(keyOf(final.environment, final.subscriberId), toInbox(final));
        case "explain":
          return void finals.explanations.push(toExplanation(final));
        case "event": {
          const { environment, transactionId, status } = final;
          return void finals.events.push({ environment, transactionId, status });
        }
        case "retraction": {
          const { environment, id, status, answer } = final;
          return void finals.retractions.push({ environment, id, status, answer });
        }
      }
    },
    end: () => finals,
  };
}

const toInbox = ({ environment, subscriberId, messages, counts }: Extract<Final, { kind: "inbox" }>): Inbox => ({
  environment,
  person: subscriberId,
  counts,
  messages: messages.map((message) => ({ ...message, createdAt: Date.parse(message.createdAt) })),
});

type Answer = {
  data?: unknown;
  reached?: unknown;
  via?: { kind?: unknown };
  event?: { status?: unknown };
  verdict?: unknown;
  steps?: { type?: unknown; outcome?: unknown; code?: unknown }[];
};

const textOr = <T>(value: unknown, other: T): string | T => (typeof value === "string" ? value : other);

function toExplanation(final: Extract<Final, { kind: "explain" }>): Explanation {
  const { environment, transactionId, subscriberId } = final;
  const given = (final.answer ?? {}) as Answer;
  const answer = (given.steps || given.via || !given.data ? given : given.data) as Answer;
  return {
    ...{ environment, transactionId, person: subscriberId },
    reached: typeof answer.reached === "boolean" ? answer.reached : null,
    via: textOr(answer.via?.kind, null),
    eventStatus: textOr(answer.event?.status, null),
    verdict: textOr(answer.verdict, ""),
    steps: (answer.steps ?? []).map(({ type, outcome, code }) => ({
      ...{ type: textOr(type, ""), outcome: textOr(outcome, ""), code: textOr(code, null) },
    })),
  };
}
