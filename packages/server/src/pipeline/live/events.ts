// Events of a live inbox, as the hub hands them to the connections. Each way to connect has its own names and shapes
// for them (http/live).
import type { InboxMessage, SubscriberRef } from "../../store/inbox/inbox-messages.ts";
import type { InboxState } from "../../store/messages/live.batch.ts";
import { type Changes, type Counts, countsOf, missedBy, newest, type Told } from "./inbox.ts";
import { type ResumePoint, writeResumeToken } from "./resume-token.ts";

/** `now`: the time of the environment. */
export type LiveItem = { row: InboxMessage; subscriber: SubscriberRef; now: Date };

type Content =
  | { kind: "message"; item: LiveItem }
  /** `isBack`: its snooze is over, and nothing happened to it since. */
  | { kind: "changed"; item: LiveItem; isBack: boolean }
  /** More is new or changed than is sent message by message: the client should read its list again. */
  | { kind: "many" }
  | { kind: "removed"; ids: string[]; count: number }
  | { kind: "counts"; counts: Counts };

/** `token`: what the client sends when it resumes after this event. Computed on demand: only streams use it. */
export type LiveEvent = Content & { token(): string };

/** A state of the inbox with the messages out of it that are sent. `readAt`: when the database was asked. */
export type Reading = { state: InboxState; readAt: Date; items: ReadonlyMap<string, InboxMessage> };

/** For connections that already have the state of `before`. */
export function eventsOfChanges(before: Told, changes: Changes, reading: Reading): LiveEvent[] {
  const { state, items } = reading;
  const { added, changed, removed, areCountsChanged } = changes;
  const token = finalToken(reading);
  const events = newMessagesOf(added, { at: before.readAt, told: [...before.recent.keys()] }, reading);
  for (const id of newest(changed)) {
    const row = items.get(id);
    if (row) events.push({ kind: "changed", item: toItem(row, state), isBack: isBack(row), token });
  }
  const isMore = added.length > newest(added).length || changed.length > newest(changed).length;
  if (isMore) events.push({ kind: "many", token });
  if (removed.count > 0) events.push({ kind: "removed", ...removed, token });
  if (areCountsChanged) events.push({ kind: "counts", counts: countsOf(state), token });
  return events;
}

/**
 * For a new connection: the messages that it lacks, then the counts. `lost`: the client has a token that cannot be
 * used.
 */
export function eventsOfStart(resume: ResumePoint | "lost" | null, reading: Reading): LiveEvent[] {
  const token = finalToken(reading);
  const counts: LiveEvent = { kind: "counts", counts: countsOf(reading.state), token };
  if (resume === null) return [counts];
  if (resume === "lost") return [{ kind: "many", token }, counts];
  const missed = missedBy(resume, reading.state);
  const isMissed = new Set(missed);
  const told = reading.state.later.filter((id) => !isMissed.has(id));
  const events = newMessagesOf(missed, { at: resume.at, told }, reading);
  return [...events, ...(missed.length > newest(missed).length ? [{ kind: "many", token } as const] : []), counts];
}

/**
 * A client that is disconnected between two messages gets the second one later: the token after the first does not name
 * it.
 */
function newMessagesOf(ids: string[], from: { at: Date; told: string[] }, reading: Reading): LiveEvent[] {
  const sent = newest(ids);
  const told = [...from.told, ...ids.slice(0, ids.length - sent.length)];
  return sent.flatMap((id, index) => {
    const row = reading.items.get(id);
    const before = () => writeResumeToken(from.at, [...told, ...sent.slice(0, index + 1)]);
    const token = index === sent.length - 1 ? finalToken(reading) : before;
    return row ? [{ kind: "message", item: toItem(row, reading.state), token }] : [];
  });
}

const finalToken =
  ({ state, readAt }: Reading) =>
  (): string =>
    writeResumeToken(readAt, state.recent.keys());

const toItem = (row: InboxMessage, { subscriber, now }: InboxState): LiveItem => ({ row, subscriber, now });

const isBack = ({ delivered_at, updated_at }: InboxMessage): boolean =>
  (delivered_at?.length ?? 0) > 1 && delivered_at!.at(-1)!.getTime() === updated_at.getTime();
