// Delays: the message comes no earlier than its delay after the event was accepted.
import { secondsText, wasClockMoved } from "../compare.ts";
import type { Try } from "../deliveries.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf } from "../ledger.ts";
import type { World } from "../world.ts";

/** Times in ms are rounded. */
const roundingMs = 5;

export default {
  id: "delays",
  title: "A delayed message does not come before its delay is over",
  check(world, judge) {
    let skipped = 0;
    for (const [key, { messages, person }] of world.finals.inboxes) {
      const stream = world.streams.inboxes.get(key)?.messages;
      for (const { id, text, createdAt } of messages) {
        for (const entry of world.texts.read(text).events) {
          const dueAt = findDue(entry);
          if (dueAt === null) continue;
          if (wasClockMoved(world, entry.sentAt, createdAt)) skipped++;
          else checkTime(judge, { entry, person, dueAt, at: createdAt, where: "inbox" });
          // The clock of the client is not moved, but a delay that began in a slow process ends early.
          const received = stream?.get(id);
          if (!received || wasClockMoved(world, entry.sentAt, received.firstAt)) continue;
          checkTime(judge, { entry, person, dueAt, at: received.firstAt, where: "stream" });
        }
      }
    }
    for (const { text, to, tries } of world.deliveries.messages.values()) {
      for (const entry of world.texts.read(text).events) {
        const dueAt = findDue(entry);
        if (dueAt === null) continue;
        const [{ at }] = tries as [Try];
        if (wasClockMoved(world, entry.sentAt, at)) skipped++;
        else checkTime(judge, { entry, person: to, dueAt, at, where: "provider" });
      }
    }
    if (skipped > 0) judge.note(`${skipped} messages were left out: a clock was moved meanwhile`);
    if (!world.rows) return judge.note("without the database: only what clients read");
    checkJobs(world, judge);
  },
} satisfies PromiseCheck;

/** The earliest moment: the event was accepted after the request began. */
function findDue(entry: EventEntry): number | null {
  const seconds = delayOf(entry);
  return seconds === undefined ? null : entry.sentAt + seconds * 1_000;
}

function delayOf({ promise }: EventEntry): number | undefined {
  if (promise.kind === "delay") return promise.seconds;
  return promise.kind === "email" || promise.kind === "sms" ? promise.afterSeconds : undefined;
}

type Timed = { entry: EventEntry; person: string; dueAt: number; at: number; where: string };

function checkTime(judge: Judge, { entry, person, dueAt, at, where }: Timed): void {
  const what = () => `${entry.text} came ${secondsText(dueAt - at)} too early to ${person} (${where})`;
  judge.expect(at >= dueAt - roundingMs, what, { at, detail: { transactionId: entry.transactionId } });
}

/** What the job says: how long it was to wait, and when it ended. */
function checkJobs(world: World, judge: Judge): void {
  for (const { entry, id, text } of world.rows!.events.values()) {
    const seconds = entry ? delayOf(entry) : undefined;
    if (!entry || seconds === undefined) continue;
    const wantedMs = seconds * 1_000;
    for (const { jobs, person } of world.rows!.runs.get(id) ?? []) {
      const job = jobs.find(({ type }) => type === "delay");
      if (job?.begunAt === undefined || job.until === undefined) continue;
      const { begunAt, until, endedAt } = job;
      const about = { at: begunAt, detail: keyOf(entry.environment, person ?? "") };
      judge.expect(
        until - begunAt === wantedMs,
        () => `the delay of ${text} was ${secondsText(until - begunAt)}`,
        about,
      );
      if (endedAt === undefined || wasClockMoved(world, begunAt, endedAt)) continue;
      const what = () => `the delay of ${text} ended ${secondsText(until - endedAt)} before its time`;
      judge.expect(endedAt >= until - roundingMs, what, about);
    }
  }
}
