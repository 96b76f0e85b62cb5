// What has to hold when a simulation has come to its end, whatever went wrong in it.
import type { EventRow } from "../../src/store/events/events.ts";
import { unpackJobs } from "../../src/store/events/finished-jobs.ts";
import type { JobRow } from "../../src/store/events/jobs.ts";
import type { NotificationRow } from "../../src/store/events/notifications.ts";
import type { AttemptRow, StoredMessage } from "../../src/store/messages/messages.ts";
import { type CancelLog, transactionOf } from "./client.ts";
import type { PlannedEvent, Scenario } from "./scenario.ts";
import { brokenSteps } from "./steps.ts";
import { brokenWaits, type WaitLog } from "./waits.ts";
import { digests } from "./workflows.ts";
import type { Disk } from "./world/disk.ts";
import type { ProviderCall } from "./world/network.ts";
import type { TaskRow } from "./world/queue.ts";

export type Ending = {
  scenario: Scenario;
  disk: Disk;
  calls: ProviderCall[];
  canceled: CancelLog;
  /** When the attempt was committed, by its id: from then on the provider may be called. */
  begunAt: ReadonlyMap<string, number>;
  waits: WaitLog;
};

export type Records = Ending & {
  events: Map<string, EventRow>;
  runs: NotificationRow[];
  jobs: JobRow[];
  messages: StoredMessage[];
  attempts: AttemptRow[];
};

const finalStatuses: ReadonlySet<string> = new Set(["completed", "failed", "skipped", "canceled", "merged"]);

export function recordsOf(ending: Ending): Records {
  const { disk } = ending;
  const runs = disk.rows<NotificationRow>("notifications");
  return {
    ...ending,
    events: new Map(disk.rows<EventRow>("events").map((row) => [row.transaction_id, row])),
    runs,
    jobs: [...disk.rows<JobRow>("jobs"), ...runs.flatMap(unpackJobs)],
    messages: disk.rows<StoredMessage>("messages"),
    attempts: disk.rows<AttemptRow>("attempts"),
  };
}

export function brokenPromises(ending: Ending): string[] {
  const records = recordsOf(ending);
  return [
    ...startedOnce(records),
    ...ended(records),
    ...stuck(records),
    ...inAppOnce(records),
    ...inOrder(records),
    ...digestsExact(records),
    ...sent(records),
    ...notAfterCancel(records),
    ...throttled(records),
    ...brokenWaits(records),
    ...brokenSteps(records),
  ];
}

const planned = ({ scenario }: Ending): PlannedEvent[] => scenario.requests.flatMap(({ events }) => events);

/** Each event has one run for each of its recipients. A canceled one may have fewer. */
function* startedOnce({ events, runs, canceled, disk, ...ending }: Records): Generator<string> {
  const subscribers = new Map(
    disk.rows<{ id: string; subscriber_id: string }>("subscribers").map((s) => [s.subscriber_id, s.id]),
  );
  if (disk.rows("events").length !== planned({ ...ending, disk, canceled }).length) yield "an event is stored twice";
  for (const { n, to } of planned({ ...ending, disk, canceled })) {
    const event = events.get(transactionOf(n));
    if (!event) {
      yield `event ${n} was accepted and is not stored`;
      continue;
    }
    for (const person of to) {
      const own = runs.filter((run) => run.event_id === event.id && run.subscriber_id === subscribers.get(person));
      if (own.length > 1) yield `event ${n} started ${own.length} times for ${person}`;
      if (own.length === 0 && !event.canceled_at) yield `event ${n} never started for ${person}`;
    }
  }
}

function* ended({ jobs, messages, attempts }: Records): Generator<string> {
  for (const { id, type, status } of jobs) if (!finalStatuses.has(status)) yield `job ${id} (${type}) stays ${status}`;
  for (const { id, channel, status } of messages)
    if (status === "pending") yield `message ${id} (${channel}) stays pending`;
  for (const { id, message_id, outcome } of attempts) {
    if (outcome === null) yield `attempt ${id} of message ${message_id} has no outcome`;
  }
}

function* stuck({ disk }: Records): Generator<string> {
  for (const { id, kind, state } of disk.rows<TaskRow>("tasks")) yield `${id} (${kind}) stays in the queue, ${state}`;
  for (const window of disk.rows("digest_windows")) yield `the digest of ${window.leader_job_id} stays open`;
  for (const key of disk.locked()) yield `${key} stays locked`;
  if (disk.openTransactions() > 0) yield `${disk.openTransactions()} transactions stay open`;
  for (const task of disk.rows("failed_tasks")) yield `a task was set aside: ${task.error}`;
}

/** A completed in-app step has one message, any other has none that was sent. */
function* inAppOnce({ jobs, messages }: Records): Generator<string> {
  const sent = Map.groupBy(
    messages.filter(({ channel, status }) => channel === "in_app" && status === "sent"),
    (message) => message.job_id,
  );
  for (const { id, type, status, merged_into } of jobs) {
    if (type !== "in_app") continue;
    const count = sent.get(id)?.length ?? 0;
    // A digest that was handed over keeps the message of the canceled run.
    const expected = status === "completed" && merged_into === null ? 1 : 0;
    if (count !== expected && status !== "canceled") yield `in-app job ${id} is ${status} and has ${count} messages`;
    if (count > 1) yield `in-app job ${id} has ${count} messages`;
  }
}

/** The messages of one request reach a feed in the order of its events. */
function* inOrder({ scenario, events, messages }: Records): Generator<string> {
  for (const { events: own } of scenario.requests) {
    const notes = own.filter(({ workflow }) => workflow === "note");
    const position = new Map(notes.map(({ n }) => [events.get(transactionOf(n))?.id, n]));
    const feeds = Map.groupBy(
      messages.filter(({ event_id }) => position.has(event_id)),
      (message) => message.subscriber_id,
    );
    for (const [person, feed] of feeds) {
      const order = feed.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ event_id }) => position.get(event_id)!);
      if (order.some((n, at) => at > 0 && order[at - 1]! > n)) yield `the feed of ${person} has the order ${order}`;
    }
  }
}

/** Each event is in exactly one digest of its group that was sent on; one that was canceled in at most one. */
function* digestsExact(records: Records): Generator<string> {
  const { events, jobs, runs, canceled, disk } = records;
  const versions = new Map(
    disk.rows<{ id: string; workflow_id: string }>("workflow_versions").map((v) => [v.id, v.workflow_id]),
  );
  const names = new Map(disk.rows<{ id: string; workflow_id: string }>("workflows").map((w) => [w.id, w.workflow_id]));
  const byRun = new Map(runs.map((run) => [run.id, run]));
  const found = new Map<string, number>();
  // What a canceled run had collected was handed over, or nobody else was in it. If its provider was being called, the
  // others receive both (docs/lifecycle.md).
  const wasCanceled = ({ status, details }: JobRow) =>
    status === "canceled" || details.some(({ d }) => d === "step_canceled");
  const isCanceled = new Set(jobs.flatMap((job) => (wasCanceled(job) ? job.notification_id : [])));
  for (const job of jobs) {
    if (job.type !== "digest" || isCanceled.has(job.notification_id) || !job.output) continue;
    const run = byRun.get(job.notification_id)!;
    const listed = job.output.events as { id: string }[];
    if (listed.length !== job.output.eventCount)
      yield `digest ${job.id} counts ${job.output.eventCount} of ${listed.length}`;
    for (const { id } of listed) {
      const name = `${id} ${run.subscriber_id} ${run.workflow_id}`;
      found.set(name, (found.get(name) ?? 0) + 1);
    }
  }
  const workflowOf = (run: NotificationRow) => names.get(versions.get(run.workflow_version_id)!)!;
  const transactions = new Map([...events].map(([transactionId, { id }]) => [id, transactionId]));
  for (const run of runs) {
    if (!digests.has(workflowOf(run) as never)) continue;
    const transactionId = transactions.get(run.event_id)!;
    const times = found.get(`${run.event_id} ${run.subscriber_id} ${run.workflow_id}`) ?? 0;
    const isGone = canceled.has(transactionId) || isCanceled.has(run.id);
    if (times > 1 || (times === 0 && !isGone)) yield `${transactionId} is in ${times} digests of ${run.subscriber_id}`;
  }
}

/** A message that says it was sent has been accepted; accepted twice only where a response was not heard. */
function* sent({ messages, calls, attempts, jobs }: Records): Generator<string> {
  const byMessage = Map.groupBy(calls, (call) => call.messageId);
  const byJob = Map.groupBy(messages, (message) => message.job_id);
  const ids = new Set(messages.map(({ id }) => id));
  for (const id of byMessage.keys()) if (!ids.has(id)) yield `a provider was called for ${id}, which is no message`;
  for (const { id, channel, status } of messages) {
    if (channel === "in_app") continue;
    const own = byMessage.get(id) ?? [];
    const accepted = own.filter((call) => call.isAccepted);
    if (status === "sent" && accepted.length === 0) yield `message ${id} is sent and was never accepted`;
    const heard = accepted.filter((call) => call.isHeard).length;
    const recorded = attempts.filter((one) => one.message_id === id && one.outcome === "accepted").length;
    if (recorded > heard) yield `message ${id} has ${recorded} accepted attempts of ${heard}`;
    if (recorded > 1) yield `message ${id} was accepted ${recorded} times, and known to be`;
    const unheard = attempts.filter((one) => one.message_id === id && one.outcome === "unknown").length;
    if (accepted.length > 1 + unheard) yield `message ${id} was sent ${accepted.length} times`;
    if (own.length > attempts.filter((one) => one.message_id === id).length)
      yield `message ${id} was sent without an attempt`;
  }
  for (const { id, type, status } of jobs) {
    if (type !== "email" && type !== "sms") continue;
    const own = byJob.get(id) ?? [];
    if (own.length > 1) yield `job ${id} has ${own.length} messages`;
    if (status === "completed" && own[0]?.status !== "sent" && own.length > 0)
      yield `job ${id} is completed, its message ${own[0]?.status}`;
    if (own[0]?.status === "sent" && status !== "completed" && status !== "canceled")
      yield `job ${id} is ${status}, its message sent`;
  }
}

/** Nothing of an event begins once its cancel was confirmed. */
function* notAfterCancel({ canceled, events, messages, attempts, begunAt }: Records): Generator<string> {
  for (const [transactionId, at] of canceled) {
    const event = events.get(transactionId);
    for (const { id, created_at, channel } of messages.filter(({ event_id }) => event_id === event?.id)) {
      if (created_at.getTime() > at) yield `message ${id} (${channel}) of ${transactionId} came after its cancel`;
      for (const attempt of attempts.filter(({ message_id }) => message_id === id)) {
        if (begunAt.get(attempt.id)! > at) yield `message ${id} of ${transactionId} was sent after its cancel`;
      }
    }
  }
}

/** A throttle lets two runs of a group through in each of its windows. */
function* throttled({ jobs, runs }: Records): Generator<string> {
  const byRun = new Map(runs.map((run) => [run.id, run]));
  const passed = jobs.filter(({ type, status }) => type === "throttle" && status === "completed");
  const windows = Map.groupBy(
    passed,
    ({ notification_id, output }) => `${byRun.get(notification_id)!.subscriber_id} ${output?.throttledUntil}`,
  );
  for (const [window, own] of windows) if (own.length > 2) yield `${own.length} runs passed the throttle of ${window}`;
}
