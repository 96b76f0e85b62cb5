// Retractions: each one comes to an end, its in-app messages are gone, and no sending begins afterwards.
import { behindMs, clockSlack } from "../compare.ts";
import { findLaterCall } from "../deliveries.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

/** An event that was in a digest when that was sent stays there (docs/retract.md). */
const removable = new Set(["in_app", "delay", "wait"]);

export default {
  id: "retracted",
  title: "A retraction ends, its in-app messages are gone, and nothing is sent after it",
  check(world, judge) {
    const retracted = new Map<string, EventEntry>();
    for (const entry of world.ledger.events.values()) {
      if (entry.retraction?.outcome === "accepted") retracted.set(entry.text, entry);
    }
    if (retracted.size === 0) return;
    const ends = readEnds(world, judge, retracted);
    const isGone = (entry: EventEntry | undefined) =>
      entry && removable.has(entry.promise.kind) && ends.has(entry.text);
    for (const { messages, person } of world.finals.inboxes.values()) {
      for (const { text, id } of messages) {
        if (isGone(retracted.get(firstText(world, text))))
          judge.broken(`${text} was retracted, and is in the inbox of ${person}`, { detail: id });
      }
    }
    for (const sent of world.deliveries.messages.values()) {
      const text = firstText(world, sent.text);
      const endedAt = ends.get(text);
      if (endedAt === undefined) continue;
      judge.compared();
      // The end is a time that a process wrote.
      const later = findLaterCall(sent, endedAt + behindMs(world, endedAt), world.faults);
      if (later) judge.broken(`${text} was retracted, and its provider was called later`, { at: later.at });
    }
    if (!world.rows) return judge.note("without the database: only what clients read");
    for (const { text, channel, status, person, attempts, retracted: state, id } of world.rows.messages.values()) {
      const entry = retracted.get(firstText(world, text));
      const endedAt = entry && ends.get(entry.text);
      if (!entry || endedAt === undefined) continue;
      const isShown = channel === "in_app" && status === "sent" && state !== "replaced";
      if (isShown && isGone(entry)) judge.broken(`${text} was retracted, and is a row of ${person}`, { detail: id });
      for (const { startedAt } of attempts) {
        const isLate = startedAt > endedAt + clockSlack(world, startedAt);
        if (isLate)
          judge.broken(`${text} was retracted, and a call to its provider began afterwards`, { at: startedAt });
      }
    }
  },
} satisfies PromiseCheck;

/** The event that a message is about, if it is about one. */
function firstText({ texts }: World, text: string): string {
  const { events } = texts.read(text);
  return events.length === 1 ? events[0]!.text : "";
}

type Answer = { transactionId?: unknown; correction?: unknown; finishedAt?: unknown };

/** By text: when its retraction ended. */
function readEnds({ finals, ledger }: World, judge: Judge, retracted: Map<string, EventEntry>): Map<string, number> {
  const ends = new Map<string, number>();
  const found = new Set<string>();
  for (const { environment, id, status, answer } of finals.retractions) {
    const { transactionId, correction, finishedAt } = (answer ?? {}) as Answer;
    const named =
      typeof transactionId === "string" ? ledger.byTransaction.get(keyOf(environment, transactionId)) : undefined;
    const entry = named ?? [...retracted.values()].find((one) => one.retraction!.id === id);
    if (!entry || !retracted.has(entry.text)) continue;
    found.add(entry.text);
    judge.expect(status === "completed", () => `the retraction of ${entry.text} is ${status}`, {
      at: entry.retraction!.at,
    });
    if (status !== "completed" || correction) continue;
    const end = typeof finishedAt === "string" ? Date.parse(finishedAt) : Number.NaN;
    ends.set(entry.text, Number.isNaN(end) ? Number.POSITIVE_INFINITY : end);
  }
  for (const [text, { retraction }] of retracted) {
    if (!found.has(text))
      judge.broken(`the retraction of ${text} was accepted, and is not in the list`, { at: retraction!.at });
  }
  return ends;
}
