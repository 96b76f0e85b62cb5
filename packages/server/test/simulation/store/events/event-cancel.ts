import type { WindowClaim } from "../../../../src/store/events/digests.ts";
import {
  type CanceledJob,
  type CanceledRuns,
  type ClosedDigestHeir,
  type MovedDigest,
  type NextLeader,
  retractedErrorId,
} from "../../../../src/store/events/event-cancel.ts";
import type { JobRow } from "../../../../src/store/events/jobs.ts";
import type { NotificationRow } from "../../../../src/store/events/notifications.ts";
import type { StoredMessage } from "../../../../src/store/messages/messages.ts";
import type { StoredDetail } from "../../../../src/store/tables.ts";
import type { Transaction } from "../../world/disk.ts";
import { statement } from "../../world/session.ts";
import { windowKey } from "./digests.batch.ts";

export * from "../../../../src/store/events/event-cancel.ts";

const eventOf = (runs: CanceledRuns): string => {
  if ("eventId" in runs) return runs.eventId;
  throw new Error("the simulation cancels whole events");
};

const ownIds = (tx: Transaction, runs: CanceledRuns): Set<string> =>
  new Set(tx.where<NotificationRow>("notifications", (row) => row.event_id === eventOf(runs)).map(({ id }) => id));

type Version = { id: string; workflow_id: string; step_types: string[] };

export const lockHandovers = statement(
  "lockHandovers",
  async (tx, _environmentId: string, versionIds: string[]): Promise<boolean> => {
    const found = tx.where<Version>(
      "workflow_versions",
      (row) => versionIds.includes(row.id) && row.step_types.includes("digest"),
    );
    for (const { workflow_id } of found) await tx.lock("cancels", [workflow_id]);
    return found.length > 0;
  },
);

export const lockRuns = statement(
  "lockRuns",
  async (tx, _environmentId: string, runs: CanceledRuns): Promise<WindowClaim[]> => {
    await tx.lockWhere<NotificationRow>("notifications", (row) => row.event_id === eventOf(runs));
    const own = ownIds(tx, runs);
    const isOwn = (window: WindowClaim): boolean =>
      tx.where<JobRow>(
        "jobs",
        (job) =>
          own.has(job.notification_id) &&
          job.type === "digest" &&
          (job.status === "delayed" || job.status === "merged") &&
          (job.merged_into ?? job.id) === window.leader_job_id,
      ).length > 0;
    return tx.lockWhere<WindowClaim>("digest_windows", isOwn);
  },
);

type JobCancel = { runs: CanceledRuns; openLeaders: string[]; canceled: StoredDetail; now: Date };

export const cancelJobsOfRuns = statement(
  "cancelJobsOfRuns",
  async (tx, _environmentId: string, { runs, openLeaders, canceled, now }: JobCancel): Promise<CanceledJob[]> => {
    const own = ownIds(tx, runs);
    const isMergedOpen = (id: string): boolean =>
      tx.where<JobRow>(
        "jobs",
        (job) => job.notification_id === id && job.merged_into !== null && openLeaders.includes(job.merged_into),
      ).length > 0;
    const isWaiting = (job: JobRow): boolean =>
      ["pending", "queued", "delayed"].includes(job.status) ||
      (job.status === "merged" && isMergedOpen(job.notification_id));
    const jobs = await tx.lockWhere<JobRow>("jobs", (job) => own.has(job.notification_id) && isWaiting(job));
    for (const job of jobs) {
      const details = [...job.details, canceled];
      tx.put("jobs", job.id, { ...job, status: "canceled", wake_at: null, updated_at: now, details });
    }
    return jobs.map(({ id, notification_id, type }) => ({ id, notification_id, type }));
  },
);

const isNoted = (job: JobRow): boolean => job.details.some(({ d }) => d === "step_canceled");

type Note = { runs: CanceledRuns; canceled: StoredDetail; now: Date };

export const noteCanceledMembers = statement(
  "noteCanceledMembers",
  async (tx, _environmentId: string, { runs, canceled, now }: Note): Promise<void> => {
    const own = ownIds(tx, runs);
    const isOpen = (leaderId: string): boolean => {
      const leader = tx.get<JobRow>("jobs", leaderId);
      return tx
        .where<JobRow>("jobs", (job) => job.notification_id === leader?.notification_id)
        .some(({ status }) => ["pending", "queued", "delayed"].includes(status));
    };
    const isMember = (job: JobRow): boolean =>
      own.has(job.notification_id) && job.status === "merged" && job.type === "digest" && !isNoted(job);
    for (const job of await tx.lockWhere<JobRow>("jobs", (job) => isMember(job) && isOpen(job.merged_into!))) {
      tx.put("jobs", job.id, { ...job, updated_at: now, details: [...job.details, canceled] });
    }
  },
);

type Withdrawal = { runs: CanceledRuns; reason: string; now: Date; hasToSettle: boolean };

export const withdrawMessages = statement(
  "withdrawMessages",
  async (tx, _environmentId: string, { runs, reason, now, hasToSettle }: Withdrawal) => {
    const held = await tx.lockWhere<StoredMessage>(
      "messages",
      (row) => row.event_id === eventOf(runs) && row.status === "pending",
    );
    type Attempt = { message_id: string; finished_at: Date | null; outcome: string | null };
    const called = hasToSettle
      ? tx.where<Attempt>("attempts", (row) => !row.finished_at || row.outcome === "unknown")
      : [];
    const inFlight = called.flatMap(({ message_id, finished_at }) => (finished_at ? [] : message_id));
    for (const row of held) {
      const isCalled = inFlight.includes(row.id);
      const after = isCalled ? { error_id: retractedErrorId } : { outgoing: null };
      tx.put("messages", row.id, { ...row, status: "warning", error_text: reason, updated_at: now, ...after });
    }
    const ids = held.map(({ id }) => id);
    const isDoubtful = (id: string) => !inFlight.includes(id) && called.some(({ message_id }) => message_id === id);
    return { withdrawn: ids, inFlight: ids.filter((id) => inFlight.includes(id)), uncertain: ids.filter(isDoubtful) };
  },
);

/** The oldest events that were merged into this job. */
const followersOf = (tx: Transaction, leaderId: string): { job: JobRow; run: NotificationRow }[] =>
  tx
    .where<JobRow>("jobs", (job) => job.merged_into === leaderId && job.status === "merged")
    .map((job) => ({ job, run: tx.get<NotificationRow>("notifications", job.notification_id)! }))
    .sort((a, b) => (`${a.run.event_id} ${a.run.id}` < `${b.run.event_id} ${b.run.id}` ? -1 : 1));

export const findNextLeaders = statement(
  "findNextLeaders",
  (tx, _environmentId: string, windows: WindowClaim[]): NextLeader[] =>
    windows.flatMap(({ leader_job_id: old_leader_id, due_at }) => {
      const next = followersOf(tx, old_leader_id)[0];
      if (!next) return [];
      const { job, run } = next;
      return { old_leader_id, job_id: job.id, notification_id: run.id, step_index: job.step_index, due_at };
    }),
);

async function move(tx: Transaction, moved: MovedDigest[], now: Date): Promise<void> {
  for (const { old_job_id, job_id, notification_id } of moved) {
    for (const row of await tx.lockWhere<WindowClaim>("digest_windows", (one) => one.leader_job_id === old_job_id)) {
      const led = { ...row, leader_job_id: job_id, leader_notification_id: notification_id };
      tx.put("digest_windows", windowKey(row), led);
    }
    for (const { run } of followersOf(tx, old_job_id)) {
      const digested_into = run.id === notification_id ? null : notification_id;
      await tx.change<NotificationRow>("notifications", run.id, () => ({ digested_into, updated_at: now }));
    }
    for (const { job } of followersOf(tx, old_job_id)) {
      if (job.id !== job_id) await tx.change<JobRow>("jobs", job.id, () => ({ merged_into: job_id, updated_at: now }));
    }
  }
}

type Moved = MovedDigest[];

const moveAll = statement("moveFollowers", (tx, _environmentId: string, moved: Moved, now: Date) =>
  move(tx, moved, now),
);

export const moveFollowers: typeof moveAll = async (db, environmentId, moved, now) =>
  moved.length === 0 ? undefined : moveAll(db, environmentId, moved, now);

type WindowHandover = { leaders: NextLeader[]; taken: StoredDetail; now: Date };

const handOver = statement(
  "handOverWindows",
  async (tx, _environmentId: string, { leaders, taken, now }: WindowHandover): Promise<void> => {
    await move(
      tx,
      leaders.map((leader) => ({ ...leader, old_job_id: leader.old_leader_id })),
      now,
    );
    for (const { notification_id, job_id, step_index, due_at } of leaders) {
      const merged = await tx.lockWhere<JobRow>(
        "jobs",
        (job) => job.notification_id === notification_id && job.status === "merged" && job.step_index >= step_index,
      );
      for (const job of merged) {
        const isLeader = job.id === job_id;
        tx.put("jobs", job.id, {
          ...job,
          updated_at: now,
          merged_into: null,
          status: isLeader ? "delayed" : "pending",
          wake_at: isLeader ? due_at : null,
          details: isLeader ? [...job.details, taken] : job.details,
        });
      }
    }
  },
);

export const handOverWindows: typeof handOver = async (db, environmentId, handover) =>
  handover.leaders.length === 0 ? undefined : handOver(db, environmentId, handover);

export const findClosedDigestHeirs = statement(
  "findClosedDigestHeirs",
  (tx, _environmentId: string, runs: CanceledRuns): ClosedDigestHeir[] =>
    tx
      .where<NotificationRow>("notifications", (row) => row.event_id === eventOf(runs))
      .flatMap((old) => {
        const digests = tx
          .where<JobRow>(
            "jobs",
            (job) => job.notification_id === old.id && job.type === "digest" && job.status === "completed",
          )
          .sort((a, b) => a.step_index - b.step_index);
        const members = digests.flatMap((digest) => followersOf(tx, digest.id).map((one) => ({ ...one, digest })));
        const next = members.find(({ job }) => !isNoted(job));
        if (!next) return [];
        const gone = members.flatMap(({ job, run }) => (isNoted(job) ? run.event_id : []));
        return {
          old_notification_id: old.id,
          old_event_id: old.event_id,
          old_version_id: old.workflow_version_id,
          old_digested_into: old.digested_into,
          notification_id: next.run.id,
          version_id: next.run.workflow_version_id,
          step_index: next.job.step_index,
          old_step_index: next.digest.step_index,
          canceled_event_ids: [...new Set(gone)],
        };
      }),
);

const deleteAll = statement(
  "deleteWindows",
  async (tx, _environmentId: string, leaderJobIds: string[]): Promise<void> => {
    const empty = await tx.lockWhere<WindowClaim>("digest_windows", (row) => leaderJobIds.includes(row.leader_job_id));
    for (const row of empty) tx.put("digest_windows", windowKey(row), null);
  },
);

export const deleteWindows: typeof deleteAll = async (db, environmentId, leaderJobIds) =>
  leaderJobIds.length === 0 ? undefined : deleteAll(db, environmentId, leaderJobIds);
