// What has to hold for waits: a signal that is committed while a run waits for it ends the wait, nothing else does
// before its time, and what follows knows the reason.
import type { NewSignal } from "../../src/store/signals/signals.ts";
import type { WaitRow } from "../../src/store/tables.ts";
import { transactionOf } from "./client.ts";
import type { Records } from "./promises.ts";
import { isMet } from "./store/signals/signals.ts";
import { waitingNames } from "./workflows.ts";
import type { Disk } from "./world/disk.ts";
import type { Schedule } from "./world/schedule.ts";

/** When signals and waits were committed, and when waits ended, by signal and by job. */
export type WaitLog = ReturnType<typeof createWaitLog>;

export function createWaitLog(schedule: Schedule) {
  const signals = new Map<string, number>();
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  return {
    signals,
    begun,
    ended,
    note(disk: Disk): void {
      const now = schedule.now();
      for (const { id } of disk.rows<NewSignal>("signals")) if (!signals.has(id)) signals.set(id, now);
      const open = new Set(disk.rows<WaitRow>("run_waits").map(({ job_id }) => job_id));
      for (const id of open) if (!begun.has(id)) begun.set(id, now);
      for (const id of begun.keys()) if (!open.has(id) && !ended.has(id)) ended.set(id, now);
    },
  };
}

const lookBackMs = 60_000;

export function* brokenWaits({ scenario, disk, events, runs, jobs, messages, waits }: Records): Generator<string> {
  for (const { job_id } of disk.rows<WaitRow>("run_waits")) yield `job ${job_id} waits for good`;
  const signals = disk.rows<NewSignal>("signals");
  const planned = scenario.requests.flatMap((request) => request.events);
  for (const { n, workflow, key } of planned.filter((one) => waitingNames.some((name) => name === one.workflow))) {
    const event = events.get(transactionOf(n));
    for (const run of runs.filter(({ event_id }) => event_id === event?.id)) {
      const own = jobs.filter((job) => job.notification_id === run.id);
      const wait = own.find(({ type, status }) => type === "wait" && status === "completed");
      // That of a run that nobody canceled has to be completed (steps.ts).
      if (!wait) continue;
      const awaited = { subscriber_id: run.subscriber_id, signal: "go", signal_key: String(key) };
      const sent = signals.filter((signal) => isMet(awaited, signal));
      const reason = wait.output?.reason;
      if (reason !== "signal" && reason !== "timeout") yield `the wait ${wait.id} ended by ${reason}`;
      if (reason === "signal" && sent.length === 0) yield `the wait ${wait.id} ended by a signal, but none was sent`;
      for (const { id, created_at } of reason === "timeout" ? sent : []) {
        const from = waits.begun.get(wait.id)! - (workflow === "looking" ? lookBackMs : 0);
        if (created_at.getTime() > from && waits.signals.get(id)! < waits.ended.get(wait.id)!)
          yield `the wait ${wait.id} did not see the signal ${id}`;
      }
      const note = messages.find(({ channel, notification_id }) => channel === "in_app" && notification_id === run.id);
      if (note && note.content?.trim() !== reason) yield `the message ${note.id} says ${note.content}, not ${reason}`;
    }
  }
}
