// Which months are dropped as a whole: those whose time has passed for every environment, and of which nothing is
// needed any longer.
import type { Db } from "../../store/db.ts";
import {
  countMessages,
  countPartition,
  deleteOtherMessages,
  deleteTransactionIds,
  dropPartition,
  finishDrops,
  hasLaterNotifications,
  hasLiveRuns,
  hasNeededMessages,
  hasWaitingEvents,
  listMonths,
  type Partition,
  type StoredMonth,
} from "../../store/installation/partition-drops.ts";
import { type PartitionedTable, withPartitionLock } from "../../store/installation/partitions.ts";
import { type EnvironmentHorizons, earliest } from "./horizons.ts";
import { addRows, type RetentionCtx, type Tally } from "./tally.ts";

/** Runs go before events: a notification is not read without its event. */
const runTables: PartitionedTable[] = ["exposures", "jobs", "notifications"];
const eventTables: PartitionedTable[] = ["event_search_values", "event_attachments", "events"];

/** Rows of these tables are reported; the others only belong to an event. */
const reported: ReadonlySet<PartitionedTable> = new Set(["events", "notifications", "jobs", "attempts"]);

type Limits = { before: Date; now: Date };

export const dropMonths = (ctx: RetentionCtx, horizons: EnvironmentHorizons[], tally: Tally): Promise<void> =>
  withPartitionLock(ctx.db, async (connection) => {
    tally.partitions.push(...(await finishDrops(connection)));
    const now = ctx.now();
    const runs = { before: earliest(horizons, "messages", now), now };
    const inApp = { before: earliest(horizons, "inApp", now), now };
    let isEarlierRunNeeded = false;
    for (const month of await listMonths(connection)) {
      if (month.end > runs.before) return;
      if (await hasLiveRuns(connection, month, runs)) isEarlierRunNeeded = true;
      else await dropRuns(connection, month, { runs, inApp, isEarlierRunNeeded, tally });
      if (month.end <= inApp.before && !(await hasNeededMessages(connection, month, inApp)))
        await drop(connection, month, ["messages"], tally);
    }
  });

type Drop = { runs: Limits; inApp: Limits; isEarlierRunNeeded: boolean; tally: Tally };

async function dropRuns(connection: Db, month: StoredMonth, options: Drop): Promise<void> {
  const { runs, inApp, isEarlierRunNeeded, tally } = options;
  const messages = month.partitions.get("messages");
  // The month of messages stays for the in-app ones. Once its notifications have gone, this has been done.
  if (messages && month.end > inApp.before && month.partitions.has("notifications"))
    addRows(tally, "messages", await deleteOtherMessages(connection, messages, month, runs));
  // A run that began earlier may have sent messages in this month.
  if (!isEarlierRunNeeded) await drop(connection, month, ["attempts"], tally);
  await drop(connection, month, runTables, tally);
  const isNeeded = (await hasLaterNotifications(connection, month)) || (await hasWaitingEvents(connection, month));
  if (!isNeeded) await dropEvents(connection, month, tally);
}

async function dropEvents(connection: Db, month: StoredMonth, tally: Tally): Promise<void> {
  const events = month.partitions.get("events");
  if (events) await deleteTransactionIds(connection, events);
  await drop(connection, month, eventTables, tally);
}

async function drop(connection: Db, month: StoredMonth, tables: PartitionedTable[], tally: Tally): Promise<void> {
  for (const partition of tables.flatMap((table) => month.partitions.get(table) ?? [])) {
    const rows = await countRows(connection, partition);
    await dropPartition(connection, partition);
    tally.partitions.push(partition.name);
    addRows(tally, "inApp", rows.inApp);
    addRows(tally, "messages", rows.messages);
  }
}

async function countRows(connection: Db, partition: Partition): Promise<{ inApp: number; messages: number }> {
  if (partition.table === "messages") return countMessages(connection, partition);
  return { inApp: 0, messages: reported.has(partition.table) ? await countPartition(connection, partition) : 0 };
}
