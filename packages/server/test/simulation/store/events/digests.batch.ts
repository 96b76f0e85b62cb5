import type { MergedEvent, Pass } from "../../../../src/store/events/digests.batch.ts";
import type { WindowClaim } from "../../../../src/store/events/digests.ts";
import type { EventRow } from "../../../../src/store/events/events.ts";
import type { JobRow } from "../../../../src/store/events/jobs.ts";
import type { NotificationRow } from "../../../../src/store/events/notifications.ts";
import type { JobKey } from "../../../../src/store/keys.ts";
import { rowsStatement } from "../../world/session.ts";
import { keyOf } from "../rows.ts";

export * from "../../../../src/store/events/digests.batch.ts";

export const windowKey = (row: object): string => keyOf("digest_windows", row as Record<string, unknown>);

const byKey = <Row extends object>(rows: Row[]): Row[] =>
  rows.toSorted((a, b) => (windowKey(a) < windowKey(b) ? -1 : 1));

export const openOrJoinWindows = rowsStatement(
  "openOrJoinWindows",
  () => [],
  async (tx, claims: WindowClaim[]): Promise<WindowClaim[]> => {
    const windows: WindowClaim[] = [];
    for (const { environment_id, step_id, subscriber_id, group_key, ...rest } of byKey(claims)) {
      const { leader_job_id, leader_notification_id, due_at } = rest;
      const group = { environment_id, step_id, subscriber_id, group_key };
      const row = { ...group, leader_job_id, leader_notification_id, due_at };
      await tx.insert("digest_windows", windowKey(row), row);
      windows.push(tx.get<WindowClaim>("digest_windows", windowKey(row))!);
    }
    return windows;
  },
);

export const closeWindows = rowsStatement(
  "closeWindows",
  () => undefined,
  async (tx, leaders: JobKey[]): Promise<void> => {
    const ids = new Set(leaders.map((leader) => leader.job_id));
    const due = await tx.lockWhere<WindowClaim>("digest_windows", (row) => ids.has(row.leader_job_id));
    for (const row of due) tx.put("digest_windows", windowKey(row), null);
  },
);

export const findMergedEvents = rowsStatement(
  "findMergedEvents",
  () => [],
  (tx, leaderJobIds: string[], limit: number): MergedEvent[] =>
    leaderJobIds.flatMap((leader_job_id) => {
      const merged = tx
        .where<JobRow>("jobs", (job) => job.merged_into === leader_job_id && job.status === "merged")
        .map((job) => {
          const { event_id, id } = tx.get<NotificationRow>("notifications", job.notification_id)!;
          const { created_at } = tx.get<EventRow>("events", event_id)!;
          const before = tx
            .where<JobRow>(
              "jobs",
              (one) =>
                one.notification_id === id &&
                one.type === "digest" &&
                one.step_index < job.step_index &&
                one.output !== null,
            )
            .sort((a, b) => b.step_index - a.step_index)[0];
          return { id, leader_job_id, event_id, created_at, earlier: before?.output ?? null };
        })
        .sort((a, b) => (`${a.event_id} ${a.id}` < `${b.event_id} ${b.id}` ? -1 : 1));
      const event_count = merged.reduce((sum, { earlier }) => sum + Number(earlier?.eventCount ?? 1), 0);
      return merged.slice(0, limit).map(({ id, ...row }) => ({ ...row, event_count }));
    }),
);

type StoredPass = Omit<Pass, "passed_at"> & { passed_at: Date | null };

export const recordPasses = rowsStatement(
  "recordPasses",
  () => [],
  async (tx, passes: Pass[]): Promise<Pass[]> => {
    const before: Pass[] = [];
    for (const { passed_at: now, ...group } of byKey(passes)) {
      const key = windowKey(group);
      await tx.insert("digest_passes", key, { ...group, passed_at: null });
      const { passed_at } = tx.get<StoredPass>("digest_passes", key)!;
      if (passed_at) before.push({ ...group, passed_at });
      tx.put("digest_passes", key, { ...group, passed_at: passed_at && passed_at > now ? passed_at : now });
    }
    return before;
  },
);
