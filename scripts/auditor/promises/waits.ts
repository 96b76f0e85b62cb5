// Waits end once, by their signal or by their timeout, as the message says. A signal whose response says that it
// reached the run has ended its wait, and one that came well within the wait has reached it.
import { clockSlack, findExcuse, secondsText, wasClockMoved } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, keyOf, type Signal } from "../ledger.ts";
import type { World } from "../world.ts";

/** A signal this long after the beginning of the wait, and before its end, cannot be too early or too late. */
const marginMs = 1_000;
const roundingMs = 5;

export default {
  id: "waits",
  title: "A wait ends once, by its signal or its timeout, and says by which",
  check(world, judge) {
    const leftOut = { clock: 0, fault: 0, busy: 0 };
    const signals = Map.groupBy(world.ledger.signals, ({ environment, person }) => keyOf(environment, person));
    for (const [key, { messages }] of world.finals.inboxes) {
      for (const { text, createdAt } of messages) {
        for (const entry of world.texts.read(text).events) {
          if (entry.promise.kind !== "wait") continue;
          const own = (signals.get(key) ?? []).filter((signal) => isSignalFor(signal, entry));
          checkMessage(world, judge, {
            entry,
            key,
            ending: text.slice(entry.text.length).trim(),
            createdAt,
            signals: own,
            leftOut,
          });
        }
      }
    }
    const waits = (count: number) => `${count} waits with a signal in time were left out`;
    if (leftOut.clock > 0) judge.note(`${waits(leftOut.clock)}: a clock was moved meanwhile`);
    if (leftOut.fault > 0) judge.note(`${waits(leftOut.fault)}: a failure may have held up their beginning`);
    if (leftOut.busy > 0) judge.note(`${waits(leftOut.busy)}: other requests failed between beginning and signal`);
    if (!world.rows) judge.note("without the database: when waits began was not read");
  },
} satisfies PromiseCheck;

const isSignalFor = ({ name, key, outcome }: Signal, { promise, text }: EventEntry): boolean =>
  promise.kind === "wait" && name === promise.signal && (key === undefined || key === text) && outcome !== "refused";

type Ended = {
  entry: EventEntry;
  key: string;
  ending: string;
  createdAt: number;
  signals: Signal[];
  leftOut: { clock: number; fault: number; busy: number };
};

function checkMessage(world: World, judge: Judge, ended: Ended): void {
  const { entry, key, ending, createdAt, signals } = ended;
  const { text, promise, sentAt } = entry;
  if (promise.kind !== "wait") return;
  const about = { at: createdAt, detail: { person: key, transactionId: entry.transactionId } };
  const what = () => `the wait of ${text} says that it ended by "${ending}"`;
  judge.expect(ending === "signal" || ending === "timeout", what, about);
  const slack = clockSlack(world, createdAt);
  if (ending === "signal" && !signals.some(({ at }) => at <= createdAt + slack)) {
    judge.broken(`${text} ended by a signal that no client had sent`, about);
  }
  if (ending !== "timeout") return void checkJob(world, judge, ended);
  const earlyMs = sentAt + promise.timeoutSeconds * 1_000 - createdAt;
  if (earlyMs > roundingMs && !wasClockMoved(world, sentAt, createdAt)) {
    judge.broken(`${text} timed out ${secondsText(earlyMs)} too early`, about);
  }
  if (
    signals.some(({ outcome, didSomething, key: named }) => outcome === "accepted" && didSomething && named === text)
  ) {
    judge.broken(`${text} timed out, although the answer to its signal says that it was reached`, about);
  }
  checkJob(world, judge, ended);
}

function checkJob(world: World, judge: Judge, { entry, key, ending, signals, leftOut }: Ended): void {
  const { rows } = world;
  const [event] = rows?.byText.get(entry.text) ?? [];
  const run =
    event && rows!.runs.get(event.id)?.find(({ person, environment }) => keyOf(environment, person ?? "") === key);
  const job = run?.jobs.find(({ type }) => type === "wait");
  if (!job) return;
  const about = { at: job.endedAt, detail: { person: key, codes: job.codes } };
  const ends = job.codes.filter((code) => code === "wait_met" || code === "wait_timed_out");
  judge.expect(ends.length === 1, () => `the wait of ${entry.text} ended ${ends.length} times`, about);
  const says = ends[0] === "wait_met" ? "signal" : "timeout";
  judge.expect(says === ending, () => `the wait of ${entry.text} ended by ${says}, its message says ${ending}`, about);
  if (ending !== "timeout" || job.begunAt === undefined || job.until === undefined) return;
  const { begunAt, until } = job;
  const inTime = signals.filter(
    ({ outcome, at, answeredAt }) => outcome === "accepted" && at > begunAt + marginMs && answeredAt < until - marginMs,
  );
  if (inTime.length === 0) return;
  // A wait is written as begun at the start of its transaction. One that is held up is unknown to a signal, whose
  // response then says that it reached nothing.
  const last = Math.max(...inTime.map(({ at }) => at));
  const excuse = wasClockMoved(world, begunAt, until) ? "clock" : findExcuse(world, begunAt, last);
  if (excuse) leftOut[excuse]++;
  else judge.broken(`${entry.text} timed out, although its signal was accepted during the wait`, about);
}
