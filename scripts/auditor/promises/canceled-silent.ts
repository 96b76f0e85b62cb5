// A successful cancel: nothing is sent after its response. What waited is never sent; a call to a provider that had
// begun finishes, so the attempt has to have begun before the response. Providers have the clock of the machine: with
// theirs, one call may come after the response, in the time that a call takes.
import { clockSlack } from "../compare.ts";
import { findLaterCall, type Sent } from "../deliveries.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

/** In-app kinds that wait before they send. */
const waiting = new Set(["delay", "wait", "digest"]);

export default {
  id: "canceled-silent",
  title: "Nothing is sent after the response to a successful cancel",
  check(world, judge) {
    const canceled = [...world.ledger.events.values()].filter(
      ({ cancel }) => cancel?.outcome === "accepted" && cancel.didSomething,
    );
    if (canceled.length === 0) return;
    const texts = new Set(canceled.map(({ text }) => text));
    const seen = findSeen(world, texts);
    for (const entry of canceled) checkEntry(world, judge, entry, seen.get(entry.text) ?? []);
    for (const sent of world.deliveries.messages.values()) checkCalls(world, judge, sent, texts);
  },
} satisfies PromiseCheck;

type Seen = { where: string; at: number; isSend: boolean; person: string };

/** Where texts showed up, and when each message was created or its sending began. */
function findSeen(world: World, wanted: Set<string>): Map<string, Seen[]> {
  const seen = new Map<string, Seen[]>();
  const see = (text: string, one: Seen) => {
    for (const { text: found } of world.texts.read(text).events) {
      if (wanted.has(found)) seen.set(found, [...(seen.get(found) ?? []), one]);
    }
  };
  for (const { messages, person } of world.finals.inboxes.values()) {
    for (const { text, createdAt } of messages) see(text, { where: "the inbox", at: createdAt, isSend: false, person });
  }
  for (const { text, channel, attempts, createdAt, person, status } of world.rows?.messages.values() ?? []) {
    if (channel === "in_app" && status !== "sent") continue;
    if (channel === "in_app") see(text, { where: "a row", at: createdAt, isSend: false, person: person ?? "" });
    for (const { startedAt } of attempts)
      see(text, { where: "an attempt", at: startedAt, isSend: true, person: person ?? "" });
  }
  return seen;
}

function checkCalls({ texts, faults }: World, judge: Judge, sent: Sent, canceled: Set<string>): void {
  for (const { text, cancel, environment } of texts.read(sent.text).events) {
    if (!canceled.has(text)) continue;
    judge.compared();
    const later = findLaterCall(sent, cancel!.answeredAt, faults);
    const detail = { environment, canceledAt: cancel!.answeredAt, tries: sent.tries };
    if (later) judge.broken(`${text} was canceled, and its provider was called later`, { at: later.at, detail });
  }
}

function checkEntry(world: World, judge: Judge, entry: EventEntry, seen: Seen[]): void {
  const { text, promise, to, cancel } = entry;
  const { answeredAt } = cancel!;
  judge.compared();
  for (const { where, at, isSend, person } of seen) {
    const about = { at, detail: { environment: entry.environment, canceledAt: answeredAt, madeAt: at } };
    if (at > answeredAt + clockSlack(world, at)) {
      judge.broken(`${text} was canceled, and ${where} of ${person} has it from after the answer`, about);
    } else if (!isSend && to.length === 1 && waiting.has(promise.kind) && keyOf("", person) === keyOf("", to[0]!)) {
      judge.broken(`${text} was canceled while it waited, and is in ${where} of ${person}`, about);
    }
  }
}
