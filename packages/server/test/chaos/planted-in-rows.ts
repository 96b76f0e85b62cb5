// Faults in the rows, some of them with what clients would see of them.
import { randomUUID } from "node:crypto";
import type { Call, Delivery, PlannedEvent } from "../../../../scripts/auditor/evidence.ts";
import {
  addToCounts,
  callOf,
  copyRows,
  eventRow,
  type Fault,
  type Ground,
  idAfter,
  messageRow,
  type Row,
  shownOf,
} from "./planting.ts";

const runOf = async ({ query }: Ground, eventId: string): Promise<Row> =>
  (await query("select * from notifications where event_id = $1", [eventId]))[0]!;

/** Another event like this one, with its run, jobs, message and attempts, as the service would have written them. */
async function repeatEvent(ground: Ground, { text }: PlannedEvent, newText: string): Promise<Row> {
  const { query } = ground;
  const [event, message] = [await eventRow(ground, text), await messageRow(ground, text)];
  const ids = { event: randomUUID(), transaction: randomUUID() };
  const [runId, jobId, messageId] = [message.notification_id, message.job_id, message.id].map(idAfter);
  await copyRows(query, "events", ["id", event.id], () => ({
    ...{ id: idAfter(event.id), transaction_id: ids.transaction, payload: { text: newText } },
  }));
  await copyRows(query, "notifications", ["id", message.notification_id], () => ({
    ...{ id: runId, event_id: idAfter(event.id) },
  }));
  await copyRows(query, "jobs", ["notification_id", message.notification_id], () => ({
    ...{ id: jobId, notification_id: runId },
  }));
  const [copy] = await copyRows(query, "messages", ["id", message.id], () => ({
    ...{ id: messageId, event_id: idAfter(event.id), notification_id: runId, job_id: jobId, content: newText },
  }));
  await copyRows(query, "attempts", ["message_id", message.id], ({ id }) => ({
    ...{ id: idAfter(id), message_id: messageId },
  }));
  return { ...copy!, transactionId: ids.transaction };
}

/** Another delivery of an email that its provider had accepted, and its attempt. Returns the first delivery. */
async function sendAgain(ground: Ground, first: string, second: string): Promise<Delivery> {
  const { evidence, north, query } = ground;
  const { text } = north.mailed;
  const sent = evidence.deliveries.findLast((one) => one.text === text && one.answer !== "refused")!;
  evidence.deliveries.push({ ...sent, at: sent.at + 2_000, answeredAt: sent.answeredAt + 2_000 });
  const { id } = await messageRow(ground, text);
  await copyRows(query, "attempts", ["message_id", id], (row) => ({
    ...{ id: idAfter(row.id), outcome: second },
    ...{ started_at: new Date(sent.at + 2_000), finished_at: new Date(sent.answeredAt + 2_000) },
  }));
  await query(
    "update attempts set outcome = $2 where id = (select min(id::text)::uuid from attempts where message_id = $1)",
    [id, first],
  );
  return sent;
}

export const plantedInRows: Fault[] = [
  {
    name: "the rows of an accepted event are lost",
    promise: "accepted-ends",
    async plant(ground) {
      const { query, north } = ground;
      const { id } = await eventRow(ground, north.unwanted.text);
      const run = await runOf(ground, id);
      await query("delete from notifications where id = $1", [run.id]);
      await query("delete from events where id = $1", [id]);
    },
  },
  {
    name: "a message is in an inbox twice",
    promise: "in-app-once",
    async plant({ evidence, north, query }) {
      const { inbox, message } = shownOf(evidence, north.plain);
      const id = idAfter(message.id);
      await copyRows(query, "messages", ["id", message.id], () => ({ id }));
      inbox.messages.splice(inbox.messages.indexOf(message), 0, { ...message, id });
      addToCounts(inbox, 1);
    },
  },
  {
    name: "a message is lost",
    promise: "in-app-once",
    async plant({ evidence, north, query }) {
      const { inbox, message } = shownOf(evidence, north.plain);
      await query("delete from messages where id = $1", [message.id]);
      inbox.messages.splice(inbox.messages.indexOf(message), 1);
      addToCounts(inbox, -1);
    },
  },
  {
    name: "a message is in the rows of an inbox, and not in its list",
    promise: "counts-equal-lists",
    async plant({ north, query }) {
      await query("update messages set archived_at = now() where content = $1", [north.plain.text]);
    },
  },
  {
    name: "the kept count of a topic is wrong",
    promise: "counts-equal-lists",
    async plant({ query }) {
      await query(
        "update list_counts set count = count + 1 where list_id = (select id from topics order by id limit 1)",
      );
    },
  },
  {
    name: "the row of a digest lacks an event",
    promise: "digests-exact",
    async plant({ north, query }) {
      const { text } = north.collected[1]!;
      await query("update messages set content = replace(content, $1, '') where channel = 'in_app'", [text]);
    },
  },
  {
    name: "an event is held without a roll-up",
    promise: "roll-ups-exact",
    async plant(ground) {
      const run = await runOf(ground, (await eventRow(ground, ground.south.limited.at(-1)!.text)).id);
      await ground.query("update jobs set merged_into = null where notification_id = $1", [run.id]);
    },
  },
  {
    name: "an event is held for a roll-up that does not exist",
    promise: "roll-ups-exact",
    async plant(ground) {
      const run = await runOf(ground, (await eventRow(ground, ground.south.limited.at(-1)!.text)).id);
      await ground.query("update jobs set merged_into = $2 where notification_id = $1", [run.id, randomUUID()]);
    },
  },
  {
    name: "an event is held for a roll-up that was given up",
    promise: "roll-ups-exact",
    async plant(ground) {
      const run = await runOf(ground, (await eventRow(ground, ground.south.limited.at(-1)!.text)).id);
      await ground.query(
        `update jobs set status = 'failed' where notification_id in (
           select n.id from jobs j join events e on e.started_by->'rollUp'->>'id' = j.merged_into::text
           join notifications n on n.event_id = e.id where j.notification_id = $1)`,
        [run.id],
      );
    },
  },
  {
    name: "a person gets one message more than the budget allows",
    promise: "budgets",
    async plant(ground) {
      const { evidence, north } = ground;
      const [event] = north.limited;
      const text = "north-limited-90000";
      const { id, transactionId } = await repeatEvent(ground, event!, text);
      const call = callOf(evidence, event!.text);
      const planned = { ...call.events![0]!, text };
      evidence.calls.push({ ...call, request: randomUUID(), events: [planned], transactionIds: [transactionId] });
      const sent = evidence.deliveries.findLast((one) => one.text === event!.text && one.answer !== "refused")!;
      evidence.deliveries.push({ ...sent, messageId: id, text });
    },
  },
  {
    name: "a message is held back although the budget has a place",
    promise: "budgets",
    async plant({ north, query }) {
      const { text } = north.limited[0]!;
      await query("update messages set created_at = created_at - interval '2 hours' where content = $1", [text]);
    },
  },
  {
    name: "a message is sent again because of a failure that did not concern it",
    promise: "external",
    async plant(ground) {
      const { evidence } = ground;
      const { at, answeredAt } = await sendAgain(ground, "unknown", "accepted");
      const common = { target: "process-1", detail: "planted" };
      // Seconds later and earlier, and one that loses nothing.
      evidence.faults.push(
        { ...common, fault: "kill-process", startedAt: answeredAt + 15_000, endedAt: answeredAt + 16_000 },
        { ...common, fault: "cut-network", startedAt: at - 25_000, endedAt: at - 20_000 },
        { ...common, fault: "provider-fails", startedAt: at, endedAt: answeredAt },
      );
      const [failed] = evidence.calls;
      evidence.calls.push({
        ...{ ...failed!, request: randomUUID(), operation: "read", events: undefined, transactionIds: undefined },
        ...{ status: 503, at: answeredAt + 15_000, endedAt: answeredAt + 15_100 },
      });
    },
  },
  {
    name: "a message is sent again after a response that was late, and not lost",
    promise: "external",
    async plant(ground) {
      const sent = await sendAgain(ground, "unknown", "accepted");
      sent.answer = "late";
    },
  },
  {
    name: "a message is sent again although its result was written",
    promise: "external",
    async plant(ground) {
      const { at, answeredAt } = await sendAgain(ground, "accepted", "unknown");
      const startedAt = at - 1_000;
      ground.evidence.faults.push({ fault: "failover", target: "primary", startedAt, endedAt: answeredAt });
    },
  },
  {
    name: "a retracted message is still shown",
    promise: "retracted",
    async plant(ground) {
      const { evidence, north, query } = ground;
      const { inbox, message } = shownOf(evidence, { ...north.toAll, to: north.retracted.to });
      const { text, transactionId } = north.retracted;
      const [id, event] = [idAfter(message.id), await eventRow(ground, text)];
      const run = await runOf(ground, event.id);
      const changes = { id, event_id: event.id, notification_id: run.id, content: text };
      await copyRows(query, "messages", ["id", message.id], () => changes);
      inbox.messages.push({ ...message, id, text, transactionId });
      inbox.messages.sort((a, b) => (a.id < b.id ? 1 : -1));
      addToCounts(inbox, 1);
    },
  },
  {
    name: "a wait times out although its signal came in time, long after a failure",
    promise: "waits",
    async plant(ground) {
      const { evidence, north, query } = ground;
      const { message } = shownOf(evidence, north.signaled);
      message.text = message.text.replace(/signal$/, "timeout");
      await query("update messages set content = $2 where id = $1", [message.id, message.text]);
      const isOwn = ({ operation, target }: Call) => operation === "signal" && target?.text === north.signaled.text;
      for (const call of evidence.calls.filter(isOwn)) call.answer = 0;
      const sent = Math.min(...evidence.calls.filter(isOwn).map(({ at }) => at));
      // It began two seconds before the signal, and its job says that it timed out.
      const run = await runOf(ground, (await eventRow(ground, north.signaled.text)).id);
      message.createdAt = new Date(sent + 5_000).toISOString();
      const details = [
        { d: "wait_begun", t: sent - 2_000, r: { until: new Date(sent + 4_000).toISOString() } },
        { d: "wait_timed_out", t: sent + 4_000 },
      ];
      await query("update jobs set details = $2 where notification_id = $1 and type = 'wait'", [
        run.id,
        JSON.stringify(details),
      ]);
      const common = { target: "process-1", startedAt: sent - 25_000, endedAt: sent - 20_000 };
      evidence.faults.push({ ...common, fault: "stop-process" }, { ...common, fault: "provider-hangs", endedAt: sent });
    },
  },
  {
    name: "a person who is not in the topic has a run",
    promise: "audience-once",
    async plant(ground) {
      const { query, north } = ground;
      const run = await runOf(ground, (await eventRow(ground, north.toTopic.text)).id);
      const [other] = await query("select id from subscribers where environment_id = $1 and subscriber_id = $2", [
        run.environment_id,
        north.plain.to[0],
      ]);
      await copyRows(query, "notifications", ["id", run.id], () => ({ id: idAfter(run.id), subscriber_id: other!.id }));
    },
  },
  {
    name: "an event by SQL is accepted twice",
    promise: "sql-once",
    async plant(ground) {
      const { evidence, north, query } = ground;
      const [event] = north.committed;
      // Whether the transaction was committed is not known, so there may be one event or none.
      const call = callOf(evidence, event!.text);
      call.status = null;
      delete call.transactionIds;
      const { id } = await eventRow(ground, event!.text);
      const changes = { id: idAfter(id), transaction_id: randomUUID() };
      await copyRows(query, "events", ["id", id], () => changes);
    },
  },
  {
    name: "a request that is repeated happens twice",
    promise: "idempotent",
    async plant(ground) {
      const { evidence, north, query } = ground;
      for (const call of evidence.calls) {
        if (call.events?.[0]?.text !== north.repeated.text) continue;
        // Neither attempt got a response.
        call.status = null;
        delete call.transactionIds;
      }
      const { id } = await eventRow(ground, north.repeated.text);
      await copyRows(query, "events", ["id", id], () => ({ id: idAfter(id), transaction_id: randomUUID() }));
    },
  },
  {
    name: "a row has the id of another environment",
    promise: "tenancy",
    async plant({ evidence, query }) {
      const [north, south] = evidence.run.environments;
      const where = "where id = (select min(id::text)::uuid from topic_subscriptions where environment_id = $2)";
      await query(`update topic_subscriptions set environment_id = $1 ${where}`, [south!.id, north!.id]);
    },
  },
  {
    name: "a task has a claim that has lapsed",
    promise: "nothing-stuck",
    async plant({ query }) {
      const stuck = "state = 'active', started_on = now() - interval '1 hour', heartbeat_on = null";
      await query(`update queue.job_common set ${stuck} where id = (select id from queue.job_common limit 1)`);
    },
  },
  {
    name: "a run that has ended still waits for a signal",
    promise: "nothing-stuck",
    async plant(ground) {
      const { query, north } = ground;
      const run = await runOf(ground, (await eventRow(ground, north.signaled.text)).id);
      await query(
        `insert into run_waits (environment_id, job_id, notification_id, subscriber_id, signal)
         values ($1, $2, $3, $4, 'approved')`,
        [run.environment_id, randomUUID(), run.id, run.subscriber_id],
      );
    },
  },
  {
    name: "an idle session holds a lock",
    promise: "nothing-stuck",
    async plant({ connect }) {
      await (await connect()).query("select pg_advisory_lock(4711)");
    },
  },
  {
    name: "a step was skipped without a reason",
    promise: "explained",
    async plant(ground) {
      const run = await runOf(ground, (await eventRow(ground, ground.north.unmet.text)).id);
      const ended = JSON.stringify([["in_app", "skipped"]]);
      await ground.query("update notifications set finished_jobs = $2 where id = $1", [run.id, ended]);
    },
  },
  {
    name: "an in-app step failed, although nothing in the load can make it fail",
    promise: "explained",
    async plant(ground) {
      const run = await runOf(ground, (await eventRow(ground, ground.north.plain.text)).id);
      const ended = JSON.stringify([["in_app", "failed", "render_failed"]]);
      await ground.query("update notifications set finished_jobs = $2 where id = $1", [run.id, ended]);
    },
  },
  {
    name: "a run belongs to no event",
    promise: "rows-whole",
    async plant(ground) {
      const { query, north } = ground;
      const run = await runOf(ground, (await eventRow(ground, north.plain.text)).id);
      const changes = { id: idAfter(run.id), event_id: randomUUID() };
      await copyRows(query, "notifications", ["id", run.id], () => changes);
    },
  },
];
