// Faults that clients and providers would see.
import { randomUUID } from "node:crypto";
import type { Call, Delivery, Final } from "../../../../scripts/auditor/evidence.ts";
import type { Sample } from "./evidence.ts";
import { callOf, type Fault, only, shownOf } from "./planting.ts";

type Explanation = { verdict: string; steps: { type: string; outcome: string; code: string | null }[] };

const explanationOf = ({ finals }: Sample, { transactionId }: { transactionId: string }): Explanation =>
  only(
    finals.filter((final): final is Extract<Final, { kind: "explain" }> => final.kind === "explain"),
    (final) => final.transactionId === transactionId,
    "explanation",
  ).answer as Explanation;

const deliveryOf = ({ deliveries }: Sample, { text }: { text: string }): Delivery =>
  deliveries.findLast((one) => one.text === text && one.answer !== "refused")!;

/** Every attempt: a client may have repeated the request. */
const refuse = ({ calls }: Sample, { text }: { text: string }, status: number): void => {
  for (const call of calls) {
    if (!call.events?.some((event) => event.text === text)) continue;
    call.status = status;
    delete call.transactionIds;
  }
};

export const plantedInEvidence: Fault[] = [
  {
    name: "an event is shown as in progress for ever",
    promise: "accepted-ends",
    plant({ evidence, north }) {
      const isPlain = (final: Final) => final.kind === "event" && final.transactionId === north.plain.transactionId;
      Object.assign(only(evidence.finals, isPlain, "event"), { status: "expanding" });
    },
  },
  {
    name: "the second event of a request is below the first",
    promise: "in-app-order",
    plant({ evidence, north }) {
      const [first, second] = north.pair.map((event) => shownOf(evidence, event).message);
      [first!.text, second!.text] = [second!.text, first!.text];
    },
  },
  {
    name: "a list is not in the order of ids",
    promise: "in-app-order",
    plant({ evidence, north }) {
      const { messages } = shownOf(evidence, north.signaled).inbox;
      messages.push(messages.shift()!);
    },
  },
  {
    name: "a live inbox misses a message",
    promise: "live",
    plant({ evidence, north }) {
      const { id } = shownOf(evidence, north.live).message;
      evidence.streams = evidence.streams.filter(({ messageId }) => messageId !== id);
    },
  },
  {
    name: "a live inbox gets a message twice on one connection",
    promise: "live",
    plant({ evidence, north }) {
      const { id } = shownOf(evidence, north.live).message;
      const isFirst = ({ name, messageId }: Sample["streams"][number]) => name === "notification" && messageId === id;
      evidence.streams.push({ ...only(evidence.streams, isFirst, "event of the stream"), id: undefined });
    },
  },
  {
    name: "an inbox says one unread message too many",
    promise: "counts-equal-lists",
    plant: ({ evidence, north }) => void shownOf(evidence, north.plain).inbox.counts.unread++,
  },
  {
    name: "the last counts of a stream are those of before",
    promise: "counts-equal-lists",
    plant({ evidence, north }) {
      const [person] = north.live.to;
      const counts = evidence.streams.filter(
        ({ name, subscriberId, environment }) =>
          name === "counts" && subscriberId === person && environment === "north",
      );
      counts.at(-1)!.counts!.unread!--;
    },
  },
  {
    name: "a digest lacks an event",
    promise: "digests-exact",
    plant({ evidence, north }) {
      const [, second] = north.collected;
      const { message } = shownOf(evidence, second!);
      message.text = message.text.replace(second!.text, "");
    },
  },
  {
    name: "a digest has an event twice",
    promise: "digests-exact",
    plant({ evidence, north }) {
      const { message } = shownOf(evidence, north.collected[0]!);
      message.text += ` ${north.collected[0]!.text}`;
    },
  },
  {
    name: "a message is sent again, although its provider had accepted it",
    promise: "external",
    plant({ evidence, north }) {
      const sent = deliveryOf(evidence, north.mailed);
      evidence.deliveries.push({ ...sent, answer: "accepted", at: sent.at + 500, answeredAt: sent.answeredAt + 500 });
    },
  },
  {
    name: "a message is sent under a second id",
    promise: "external",
    plant({ evidence, north }) {
      evidence.deliveries.push({ ...deliveryOf(evidence, north.texted), messageId: randomUUID() });
    },
  },
  {
    name: "a message never reaches its provider",
    promise: "external",
    plant({ evidence, north }) {
      const [, , , mailed] = callOf(evidence, north.pair[0]!.text).events!;
      evidence.deliveries = evidence.deliveries.filter(({ text }) => text !== mailed!.text);
    },
  },
  {
    name: "a message is sent after the response to a cancel",
    promise: "canceled-silent",
    plant({ evidence, north }) {
      const { at, ...call } = callOf(evidence, north.mailed.text);
      const { text, transactionId } = north.mailed;
      const undo = {
        operation: "cancel",
        request: randomUUID(),
        target: { text, transactionId },
        answer: true,
      } as const;
      const canceled = { ...call, ...undo, at, endedAt: at, status: 200, events: undefined, transactionIds: undefined };
      evidence.calls.push(canceled);
    },
  },
  {
    name: "a message is sent longer after the response to a cancel than a call takes, while a clock was moved",
    promise: "canceled-silent",
    plant({ evidence, north }) {
      const { text, transactionId } = north.mailed;
      const { at } = deliveryOf(evidence, north.mailed);
      const undo = { operation: "cancel", target: { text, transactionId }, answer: true, status: 200 } as const;
      const none = { request: randomUUID(), events: undefined, transactionIds: undefined };
      evidence.calls.push({ ...callOf(evidence, text), ...undo, ...none, at: at - 30_000, endedAt: at - 25_000 });
      const clock = { fault: "clock-forward", target: "process-1" } as const;
      evidence.faults.push({ ...clock, startedAt: at - 60_000, endedAt: at });
    },
  },
  {
    name: "a message is sent longer after the end of a retraction than a call takes, while a clock was moved",
    promise: "retracted",
    plant({ evidence, north }) {
      const { text, transactionId } = north.texted;
      const { at } = deliveryOf(evidence, north.texted);
      const id = randomUUID();
      const undo = { operation: "retract", target: { text, transactionId }, answer: id, status: 201 } as const;
      const none = { request: randomUUID(), events: undefined, transactionIds: undefined };
      evidence.calls.push({ ...callOf(evidence, text), ...undo, ...none, at: at - 60_000, endedAt: at - 59_000 });
      const answer = { _id: id, transactionId, finishedAt: new Date(at - 58_000).toISOString() };
      evidence.finals.push({ kind: "retraction", environment: "north", id, status: "completed", answer });
      const clock = { fault: "clock-back", target: "process-1", detail: "-30 s, seen in its responses" } as const;
      evidence.faults.push({ ...clock, startedAt: at - 60_000, endedAt: at });
    },
  },
  {
    name: "a message to a provider comes before its delay is over",
    promise: "delays",
    plant({ evidence, north }) {
      for (const one of evidence.deliveries) if (one.text === north.delayedText.text) one.at -= 4_000;
    },
  },
  {
    name: "a delay is too short",
    promise: "delays",
    plant({ evidence, north }) {
      const { message } = shownOf(evidence, north.delayed);
      message.createdAt = new Date(callOf(evidence, north.delayed.text).at + 1_000).toISOString();
    },
  },
  {
    name: "a wait ends by its timeout although its signal came",
    promise: "waits",
    plant({ evidence, north }) {
      const { message } = shownOf(evidence, north.signaled);
      message.text = message.text.replace(/signal$/, "timeout");
    },
  },
  {
    name: "a refused request has an effect",
    promise: "unaccepted",
    plant: ({ evidence, north }) => refuse(evidence, north.plain, 400),
  },
  {
    name: "a message names an event that no client sent",
    promise: "unaccepted",
    plant({ evidence, north }) {
      shownOf(evidence, north.collected[0]!).message.text += " north-collected-99999";
    },
  },
  {
    name: "an event by SQL happens although its transaction was rolled back",
    promise: "sql-once",
    plant: ({ evidence, north }) => refuse(evidence, north.committed[0]!, 409),
  },
  {
    name: "a repeated request gets another id",
    promise: "idempotent",
    plant({ evidence, north }) {
      const { request } = callOf(evidence, north.repeated.text);
      const again = evidence.calls.find((call) => call.request === request && call.attempt === 2)!;
      again.transactionIds = [randomUUID()];
    },
  },
  {
    name: "a request is accepted, and its repetition is not found",
    promise: "idempotent",
    plant({ evidence, north }) {
      const { request } = callOf(evidence, north.repeated.text);
      const again = evidence.calls.find((call) => call.request === request && call.attempt === 2)!;
      again.status = 404;
      delete again.transactionIds;
    },
  },
  {
    name: "the repetition of a cancel gets another answer",
    promise: "idempotent",
    plant({ evidence, north }) {
      const isCancel = ({ operation, target, status }: Call) =>
        operation === "cancel" && target?.text === north.canceled.text && status === 200;
      const call = only(evidence.calls, isCancel, "cancel");
      evidence.calls.push({ ...call, attempt: call.attempt + 1, answer: !call.answer });
    },
  },
  {
    name: "a stream has the text of another environment",
    promise: "tenancy",
    plant({ evidence, north, south }) {
      const { id } = shownOf(evidence, north.live).message;
      for (const event of evidence.streams) if (event.messageId === id) event.text = south.live.text;
    },
  },
  {
    name: "an event is listed in another environment",
    promise: "tenancy",
    plant({ evidence, north }) {
      const isPlain = (final: Final) => final.kind === "event" && final.transactionId === north.plain.transactionId;
      evidence.finals.push({ ...only(evidence.finals, isPlain, "event"), environment: "south" });
    },
  },
  {
    name: "an explanation gives another reason than the true one",
    promise: "explained",
    plant({ evidence, north }) {
      for (const step of explanationOf(evidence, north.unmet).steps) step.code = "filtered_by_subscriber";
    },
  },
  {
    name: "an explanation of a skipped step names no step",
    promise: "explained",
    plant({ evidence, north }) {
      explanationOf(evidence, north.unmet).steps = [];
    },
  },
  {
    name: "an in-app message that is in the inbox is explained as failed",
    promise: "explained",
    plant({ evidence, north }) {
      for (const step of explanationOf(evidence, north.timedOut).steps) {
        if (step.type === "in_app") Object.assign(step, { outcome: "failed", code: "render_failed" });
      }
    },
  },
  {
    name: "an explanation says that a message was sent which was not",
    promise: "explained",
    plant({ evidence, north }) {
      const dropped = north.limited.at(-1)!;
      for (const step of explanationOf(evidence, dropped).steps) step.outcome = "sent";
    },
  },
  {
    name: "a retraction does not end",
    promise: "retracted",
    plant({ evidence, north }) {
      const isOwn = (final: Final) =>
        final.kind === "retraction" &&
        (final.answer as { transactionId: string }).transactionId === north.retracted.transactionId;
      Object.assign(only(evidence.finals, isOwn, "retraction"), { status: "running" });
    },
  },
];
