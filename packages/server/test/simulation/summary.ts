// How a simulation ended, for the trace of one seed: each run with its jobs and messages, each message with its calls.
import type { Ending } from "./promises.ts";
import { recordsOf } from "./promises.ts";

export function summarize(ending: Ending): string[] {
  const { runs, jobs, messages, attempts, events, calls, disk } = recordsOf(ending);
  const people = new Map(
    disk.rows<{ id: string; subscriber_id: string }>("subscribers").map((s) => [s.id, s.subscriber_id]),
  );
  const transactions = new Map([...events].map(([transactionId, { id }]) => [id, transactionId]));
  return runs.map((run) => {
    const own = jobs.filter((job) => job.notification_id === run.id).sort((a, b) => a.step_index - b.step_index);
    const steps = own.map((job) => {
      const sent = messages.filter(({ job_id }) => job_id === job.id);
      const shown = sent.map(({ id, status, content }) => {
        const tries = attempts.filter(({ message_id }) => message_id === id).map(({ outcome }) => outcome);
        const made = calls.filter(({ messageId }) => messageId === id).length;
        return ` [${id} ${status} "${content?.trim()}" attempts ${tries.join(", ")}; ${made} calls]`;
      });
      const merged = job.merged_into ? ` into ${job.merged_into}` : "";
      const output = job.output ? ` ${JSON.stringify(job.output)}` : "";
      return `${job.type} ${job.id} ${job.status}${merged}${output}${shown.join("")}`;
    });
    return `${transactions.get(run.event_id)} (${run.event_id}) for ${people.get(run.subscriber_id)}: ${steps.join(" → ")}`;
  });
}
