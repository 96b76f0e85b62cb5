// Every accepted event comes to an end: it has exactly one row, each of its people has a run, and no run, job or
// message is on its way any longer.
import { wordsOf } from "../compare.ts";
import type { Judge, PromiseCheck } from "../judge.ts";
import { type EventEntry, isUndone, keyOf } from "../ledger.ts";
import type { EventRow, Rows } from "../rows.ts";
import type { World } from "../world.ts";

const endedStatuses = new Set(["expanded", "canceled", "refused"]);
const endedJobs = new Set(["completed", "failed", "skipped", "canceled", "merged"]);
/** Waits for the next place in a budget, which may be hours away. */
const waitsForPlace = new Set(["attention_delayed", "roll_up_waits"]);

export default {
  id: "accepted-ends",
  title: "Every accepted event reaches a final state",
  check(world, judge) {
    checkFinals(world, judge);
    if (!world.rows) return void judge.note("without the database: only what clients read");
    for (const entry of world.ledger.events.values()) {
      if (entry.outcome === "accepted") checkEvent(world.rows, entry, judge);
    }
  },
} satisfies PromiseCheck;

function checkFinals({ finals, ledger }: World, judge: Judge): void {
  for (const { environment, transactionId, status } of finals.events) {
    const entry = ledger.byTransaction.get(keyOf(environment, transactionId));
    if (!entry) continue;
    const what = () => `${entry.text} is shown as ${status}, which is not a final state`;
    judge.expect(endedStatuses.has(status), what, { at: entry.answeredAt });
  }
}

function checkEvent(rows: Rows, entry: EventEntry, judge: Judge): void {
  const found = rows.byText.get(entry.text) ?? [];
  const about = { at: entry.answeredAt, detail: { transactionId: entry.transactionId } };
  judge.compared();
  const isOff = entry.promise.kind === "silent" && entry.promise.reason === "workflow_off";
  if (found.length === 0) return void judge.broken(`${entry.text} was accepted, and has no row`, about);
  if (found.length > 1)
    return void judge.broken(`${entry.text} was accepted once, and has ${found.length} rows`, about);
  const [event] = found as [EventRow];
  if (entry.transactionId && event.transactionId !== entry.transactionId) {
    judge.broken(`${entry.text} has another transaction id than its answer: ${event.transactionId}`, about);
  }
  if (event.isExpanding) return void judge.broken(`not all people of ${entry.text} were reached`, about);
  if (isOff || event.isRefused) {
    if (!isOff) judge.broken(`${entry.text} was accepted, and its row says that it was refused`, about);
    return;
  }
  const runs = rows.runs.get(event.id) ?? [];
  const people = new Set(runs.map(({ person }) => person));
  const missing = entry.to.filter((person) => !people.has(person));
  if (missing.length > 0 && !isUndone(entry)) {
    judge.broken(`${entry.text} (${wordsOf(entry)}) has no run for ${missing.slice(0, 5).join(", ")}`, about);
  }
  for (const run of runs) {
    for (const job of run.jobs) {
      if (endedJobs.has(job.status) || waitsForPlace.has(job.codes.at(-1) ?? "")) continue;
      judge.broken(`a job of ${entry.text} for ${run.person} (${job.type}) is still ${job.status}`, about);
    }
  }
}
