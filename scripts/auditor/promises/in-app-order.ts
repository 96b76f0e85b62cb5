// The order of in-app messages: lists are in the order of ids, newest first; events of one request, and events that a
// client sent strictly one after the other, are in the order in which they were asked for. The second is promised where
// the message was in the list when the request returned: then it is older than all that is asked for later. An event
// that was left to the queue may be overtaken. Ids never go back: after a clock that was ahead has been put right, its
// process counts on from the time it had, above what other processes write, until that time has come.
import { movedClockMs, wasClockMoved } from "../compare.ts";
import type { Inbox } from "../finals.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

const orderedClient = /^ordered-/;

export default {
  id: "in-app-order",
  title: "In-app messages of a person are in the order in which their events were sent one after the other",
  check(world, judge) {
    for (const inbox of world.finals.inboxes.values()) checkList(inbox, judge);
    const places = findPlaces(world);
    let queued = 0;
    let moved = 0;
    for (const [before, after] of listPairs(world)) {
      const person = before.to[0]!;
      const first = places.get(`${person} ${before.text}`);
      const second = places.get(`${person} ${after.text}`);
      if (!first || !second) continue;
      if (wasClockMoved(world, before.sentAt - movedClockMs, after.answeredAt)) {
        moved++;
        continue;
      }
      if (before.request !== after.request && first.createdAt > before.answeredAt) {
        queued++;
        continue;
      }
      const what = () => `${after.text} was sent after ${before.text}, and is below it in the list of ${person}`;
      judge.expect(second.index < first.index, what, { at: after.sentAt });
      checkStream(world, judge, { person, before, first: first.id, after, second: second.id });
    }
    if (moved > 0) judge.note(`${moved} pairs were left out: a clock was moved meanwhile`);
    if (queued > 0) judge.note(`${queued} pairs were left out: the first event was left to the queue`);
  },
} satisfies PromiseCheck;

function checkList({ messages, person }: Inbox, judge: Judge): void {
  for (const [index, message] of messages.entries()) {
    const above = messages[index - 1];
    if (!above) continue;
    const what = () => `the list of ${person} has ${message.id} below ${above.id}, which is older`;
    judge.expect(above.id > message.id, what, { at: message.createdAt });
  }
}

type Place = { id: string; index: number; createdAt: number };

/** By person and text: where the message is in the list. */
function findPlaces({ finals, texts }: World): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { messages, person } of finals.inboxes.values()) {
    for (const [index, { id, text, createdAt }] of messages.entries()) {
      for (const entry of texts.read(text).events) {
        if (entry.promise.kind === "in_app") places.set(`${person} ${entry.text}`, { id, index, createdAt });
      }
    }
  }
  return places;
}

/** Events for one person, of which the second was asked for after the first: by the same client, or in one request. */
function* listPairs({ ledger }: World): Generator<[EventEntry, EventEntry]> {
  const last = new Map<string, EventEntry>();
  const own = [...ledger.events.values()].filter(
    ({ promise, to, outcome, topic }) =>
      promise.kind === "in_app" && to.length === 1 && outcome === "accepted" && topic === undefined,
  );
  // The order in the ledger is that of the requests and their events; sorting keeps it.
  for (const entry of own.toSorted((a, b) => a.sentAt - b.sentAt)) {
    const [person] = entry.to as [string];
    const names = [`${entry.request} ${person}`];
    if (orderedClient.test(entry.client)) names.push(`${keyOf(entry.environment, entry.client)} ${person}`);
    for (const name of names) {
      const before = last.get(name);
      last.set(name, entry);
      if (before && (before.request === entry.request || before.answeredAt <= entry.sentAt)) yield [before, entry];
    }
  }
}

type Pair = { person: string; before: EventEntry; first: string; after: EventEntry; second: string };

function checkStream({ streams }: World, judge: Judge, { person, before, first, after, second }: Pair): void {
  const inbox = streams.inboxes.get(keyOf(before.environment, person));
  const [one, other] = [inbox?.messages.get(first), inbox?.messages.get(second)];
  if (!one || !other || one.connections[0] !== other.connections[0]) return;
  const what = () => `${after.text} was sent after ${before.text}, and came before it in the stream of ${person}`;
  judge.expect(one.order < other.order, what, { at: after.sentAt });
}
