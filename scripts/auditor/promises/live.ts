// Live inboxes: one that was connected at the end got every message that was new since it was first opened, whatever
// happened to its connections.
import { clockSlack, movedClockMs, wasClockMoved } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type LiveInbox, wasConnectedAtEnd } from "../streams.ts";
import type { World } from "../world.ts";

/** A message of the moment in which the inbox was opened is in its list, in its stream, or in both. */
const openingMs = 2_000;
/** More messages than this in so long may be repeated, or be announced as "read the list again" (docs/live.md). */
const manyMessages = 100;
const manyMs = 4 * 60_000;

export default {
  id: "live",
  title: "A live inbox gets each of its messages, across reconnections",
  check(world, judge) {
    let disconnected = 0;
    const leftOut = { repeats: 0, gaps: 0 };
    for (const [key, inbox] of world.streams.inboxes) {
      leftOut.repeats += checkRepeats(inbox, judge);
      checkIds(world, inbox, judge);
      if (wasConnectedAtEnd(inbox, world.streams.lastAt)) leftOut.gaps += checkGaps(world, judge, key, inbox);
      else disconnected++;
    }
    if (disconnected > 0) judge.note(`${disconnected} inboxes were not connected at the end`);
    if (leftOut.gaps > 0) judge.note(`${leftOut.gaps} messages were left out: the stream said to read the list again`);
    if (leftOut.repeats > 0) judge.note(`${leftOut.repeats} messages came twice, among more than 100 in four minutes`);
  },
} satisfies PromiseCheck;

/** Returns how many messages were announced by "read the list again" instead. */
function checkGaps({ finals, faults }: World, judge: Judge, key: string, inbox: LiveInbox): number {
  const list = finals.inboxes.get(key);
  if (!list) {
    judge.note("the lists of some live inboxes were not read");
    return 0;
  }
  const moved = wasClockMoved({ faults }, inbox.openedAt, inbox.openedAt) ? movedClockMs : 0;
  let announced = 0;
  for (const { id, text, createdAt } of list.messages) {
    if (createdAt < inbox.openedAt + openingMs + moved) continue;
    const received = inbox.messages.get(id);
    const slack = clockSlack({ faults }, createdAt);
    if (!received && inbox.manyAt.some((at) => at > createdAt - slack && at < createdAt + manyMs + slack)) {
      announced++;
      continue;
    }
    const what = () => `${inbox.person} did not get ${text} (${id}) in the stream`;
    judge.expect(received !== undefined, what, { at: createdAt, detail: { environment: inbox.environment } });
  }
  return announced;
}

/** Returns how many messages came twice where that is allowed. */
function checkRepeats({ messages, person, environment }: LiveInbox, judge: Judge): number {
  const times = [...messages.values()].map(({ firstAt }) => firstAt).sort((a, b) => a - b);
  let allowed = 0;
  for (const [id, { connections, firstAt, text }] of messages) {
    const isOnce = new Set(connections).size === connections.length;
    if (!isOnce && countAround(times, firstAt) > manyMessages) {
      allowed++;
      continue;
    }
    const what = () => `${text} (${id}) came twice on one connection of ${person}`;
    judge.expect(isOnce, what, { at: firstAt, detail: { environment, connections } });
  }
  return allowed;
}

const countAround = (times: readonly number[], at: number): number =>
  times.filter((time) => Math.abs(time - at) <= manyMs).length;

function checkIds(world: World, { backwards, person }: LiveInbox, judge: Judge): void {
  for (const { at, before, id } of backwards) {
    if (wasClockMoved(world, at - movedClockMs, at)) continue;
    judge.broken(`the ids in the stream of ${person} go back: ${before.slice(0, 20)}, then ${id.slice(0, 20)}`, { at });
  }
}
