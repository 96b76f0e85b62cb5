// Live inboxes: one that was connected at the end got every message that was new since it was first opened, whatever
// happened to its connections.
import { movedClockMs, wasClockMoved } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type LiveInbox, wasConnectedAtEnd } from "../streams.ts";
import type { World } from "../world.ts";

/** A message of the moment in which the inbox was opened is in its list, in its stream, or in both. */
const openingMs = 2_000;
/** More messages than this in four minutes may be repeated, or be announced as "read the list again". */
const manyMessages = 100;

export default {
  id: "live",
  title: "A live inbox gets each of its messages, across reconnections",
  check(world, judge) {
    let disconnected = 0;
    for (const [key, inbox] of world.streams.inboxes) {
      checkRepeats(inbox, judge);
      checkIds(world, inbox, judge);
      if (wasConnectedAtEnd(inbox, world.streams.lastAt)) checkGaps(world, judge, key, inbox);
      else disconnected++;
    }
    if (disconnected > 0) judge.note(`${disconnected} inboxes were not connected at the end`);
  },
} satisfies PromiseCheck;

function checkGaps({ finals, faults }: World, judge: Judge, key: string, inbox: LiveInbox): void {
  const list = finals.inboxes.get(key);
  if (!list) return void judge.note("the lists of some live inboxes were not read");
  const moved = wasClockMoved({ faults }, inbox.openedAt, inbox.openedAt) ? movedClockMs : 0;
  for (const { id, text, createdAt } of list.messages) {
    if (createdAt < inbox.openedAt + openingMs + moved || createdAt <= inbox.lastManyAt) continue;
    const received = inbox.messages.get(id);
    const what = () => `${inbox.person} did not get ${text} (${id}) in the stream`;
    judge.expect(received !== undefined, what, { at: createdAt, detail: { environment: inbox.environment } });
  }
}

function checkRepeats({ messages, person, environment }: LiveInbox, judge: Judge): void {
  if (messages.size === 0) return;
  const mayRepeat = messages.size > manyMessages;
  for (const [id, { connections, firstAt, text }] of messages) {
    const isOnce = new Set(connections).size === connections.length;
    const what = () => `${text} (${id}) came twice on one connection of ${person}`;
    judge.expect(isOnce || mayRepeat, what, { at: firstAt, detail: { environment, connections } });
  }
}

function checkIds(world: World, { backwards, person }: LiveInbox, judge: Judge): void {
  for (const { at, before, id } of backwards) {
    if (wasClockMoved(world, at - movedClockMs, at)) continue;
    judge.broken(`the ids in the stream of ${person} go back: ${before.slice(0, 20)}, then ${id.slice(0, 20)}`, { at });
  }
}
