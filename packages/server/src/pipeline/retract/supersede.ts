// Events with a supersede key: a run replaces the earlier run of the same subscriber with the same key. What waits of
// the earlier run is canceled when the new one starts. What was sent of it is replaced when the new run sends the same
// kind of message: the new in-app message takes over the marks of the old one, which is removed, and the provider of a
// chat or push message changes the old one where it can (deliver/stage.ts).
import { jobIdOf } from "../../lib/ids.ts";
import { deleteMessages, type MessageRow } from "../../store/messages/messages.ts";
import {
  findMessagesToRetract,
  insertRetracted,
  lockInAppMessages,
  type MarkTransfer,
  type NewRetracted,
  takeOverMarks,
} from "../../store/retractions/retracted-messages.ts";
import {
  claimSupersedeKeys,
  findEarlierRuns,
  findRunsByIds,
  type KeyedRun,
} from "../../store/retractions/supersede-keys.ts";
import type { Batch } from "../batch.ts";
import { openMessage } from "../encrypted-parts.ts";
import { detail } from "../rules/details.ts";
import type { ChatFields, MessageDraft, Progress, PushFields, Run } from "../run/run.ts";
import { emitDeleted } from "../webhooks/events.ts";
import { takeBackRuns } from "./take-back.ts";
import { retractedDetail, supersedeReason } from "./words.ts";

const isKeyed = ({ event, subscriber }: Run): boolean => event.supersedeKey !== null && subscriber !== null;

/**
 * For new runs, before they advance. The run of the event that was accepted last stays; the
 * others with the same key are canceled, those of this batch before they begin.
 */
export async function supersedeRuns(batch: Batch, runs: Run[]): Promise<void> {
  const keyed = runs.filter(isKeyed);
  for (const [environmentId, own] of Map.groupBy(keyed, (run) => run.environmentId)) {
    const newest = new Map<string, Run>();
    for (const run of own) {
      const name = JSON.stringify([run.subscriber!.id, run.event.supersedeKey]);
      const known = newest.get(name);
      if (!known || known.event.id < run.event.id) newest.set(name, run);
    }
    const claimed = await claimSupersedeKeys(batch.db, environmentId, [...newest.values()].map(toKeyedRun));
    const staying = new Set(claimed.map((row) => row.notification_id));
    for (const run of own) if (!staying.has(run.notificationId)) cancelNewRun(batch, run);
    // Runs before the last one were canceled by it.
    const earlier = await findRunsByIds(
      batch.db,
      environmentId,
      claimed.flatMap((row) => row.earlier[0] ?? []),
    );
    if (earlier.length === 0) continue;
    await takeBackRuns(batch, environmentId, earlier, { retractionId: null, correction: null });
  }
}

const toKeyedRun = ({ subscriber, event, notificationId }: Run): KeyedRun => ({
  subscriber_id: subscriber!.id,
  supersede_key: event.supersedeKey!,
  event_id: event.id,
  notification_id: notificationId,
});

function cancelNewRun({ clock }: Batch, { environmentId, jobs }: Run): void {
  const canceled = detail("step_canceled", clock.now(environmentId), { raw: { reason: supersedeReason } });
  for (const job of jobs) {
    job.status = "canceled";
    job.newDetails.push(canceled);
  }
}

/** A new message with the sent messages of earlier runs that it replaces. */
type Replacing = { run: Run; draft: MessageDraft; old: MessageRow[] };

/**
 * Before messages of runs with a key are stored: which messages they replace. Those of chat and push name the one to
 * change.
 */
export async function findReplaced(batch: Batch, progressed: Progress[]): Promise<Replacing[]> {
  const sending = progressed.filter(({ run, messages }) => isKeyed(run) && messages.some(isReplacing));
  const found: Replacing[] = [];
  for (const [environmentId, own] of Map.groupBy(sending, ({ run }) => run.environmentId)) {
    const keys = own.map(({ run }) => toKeyedRun(run));
    const earlier = await findEarlierRuns(batch.db, environmentId, keys);
    const refs = earlier.flatMap((row) => row.earlier.map((id) => ({ id, subscriber_id: row.subscriber_id })));
    if (refs.length === 0) continue;
    await lockInAppMessages(batch.db, environmentId, refs);
    const stored = (await findMessagesToRetract(batch.db, environmentId, refs)).filter(
      ({ status, is_shared }) => status === "sent" && !is_shared,
    );
    const messages = Map.groupBy(stored, (message) => message.notification_id);
    const earlierOf = new Map(earlier.map((row) => [row.notification_id, row.earlier]));
    for (const { run, messages: drafts } of own) {
      const old = (earlierOf.get(run.notificationId) ?? []).flatMap((id) => messages.get(id) ?? []);
      const opened = old.map((row) => openMessage(batch.secrets, row));
      for (const draft of drafts.filter(isReplacing)) {
        found.push({ run, draft, old: opened.filter((message) => isReplacedBy(message, draft)) });
      }
    }
  }
  const replacing = found.filter(({ old }) => old.length > 0);
  for (const { draft, old } of replacing) {
    if (draft.channel === "in_app") continue;
    draft.outgoing = { ...(draft.outgoing as ChatFields | PushFields), replaces: newestOf(old).id };
  }
  return replacing;
}

const isReplacing = ({ channel, status }: MessageDraft): boolean =>
  channel === "in_app" ? status === "sent" : (channel === "chat" || channel === "push") && status === "pending";

/** Any in-app message; of the others, those that went to the same place through the same integration. */
const isReplacedBy = (message: MessageRow, draft: MessageDraft): boolean =>
  message.channel === draft.channel &&
  (draft.channel === "in_app" || (message.integration_id === draft.integrationId && message.address === draft.address));

const newestOf = (messages: MessageRow[]): MessageRow =>
  messages.reduce((newest, one) => (one.id > newest.id ? one : newest));

/** After the messages were stored, in the same transaction. */
export async function replaceEarlier(batch: Batch, replacing: Replacing[]): Promise<void> {
  for (const [environmentId, own] of Map.groupBy(replacing, ({ run }) => run.environmentId)) {
    const now = batch.clock.now(environmentId);
    const old = new Map(own.flatMap((one) => one.old).map((message) => [message.id, message]));
    const rows = [...old.values()].map(
      ({ id, notification_id, job_id, channel }): NewRetracted => ({
        id,
        notification_id,
        job_id,
        retraction_id: null,
        channel,
        state: "superseded",
        reason: null,
        at: now,
        detail: retractedDetail("superseded", null, now),
      }),
    );
    await insertRetracted(batch.db, environmentId, rows);
    await takeOverMarks(batch.db, environmentId, own.flatMap(transferOf));
    const removed = [...old.values()].filter(({ channel }) => channel === "in_app");
    const deleted = await deleteMessages(
      batch.db,
      environmentId,
      removed.map(({ id }) => id),
      batch.now(),
    );
    await emitDeleted(batch, deleted, { environmentId, at: now });
    for (const message of removed) batch.hints.add(message.subscriber_id);
  }
}

/** The marks of the message of the same step, or of the newest one. */
function transferOf({ run, draft, old }: Replacing): MarkTransfer[] {
  if (draft.channel !== "in_app") return [];
  const { stepIndex } = run.jobs.find((job) => job.id === draft.jobId)!;
  const same = old.filter((message) => jobIdOf(message.notification_id, stepIndex) === message.job_id);
  return [{ from_id: newestOf(same.length > 0 ? same : old).id, to_id: draft.id }];
}
