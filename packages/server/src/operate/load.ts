// Fills an empty database from the frames of a backup, in one transaction: what fails or is interrupted leaves it
// empty.
import { detail } from "../pipeline/rules/details.ts";
import { cancelDueWork, findDueWork, type OpenWork } from "../store/backup/open-work.ts";
import type { BackupSession } from "../store/backup/session.ts";
import { beginLoad, copyTableIn, createSchema, endLoad, QueueTooNewError } from "../store/backup/target.ts";
import type { BackupHeader, Frame } from "./format.ts";
import { countText, createProgress, numberText, OperateError, type Operation, timeText } from "./words.ts";

/** What happens to what was due before now: `send` it, or `skip` it. */
export type DueChoice = "send" | "skip";

export type Loaded = { header: BackupHeader; rows: number; due: OpenWork[] };

type Frames = AsyncGenerator<Frame, void>;

export async function loadFrames(
  client: BackupSession,
  frames: Frames,
  { due, say, beforeCommit }: { due: DueChoice; say: Operation["say"]; beforeCommit?: () => Promise<void> },
): Promise<Loaded> {
  await client.query("begin");
  try {
    const loaded = await load(client, frames, say);
    const found = await findDueWork(client);
    if (due === "skip") await skip(client, loaded.header);
    await beforeCommit?.();
    await client.query("commit");
    return { ...loaded, due: found };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    // Closes the file.
    await frames.return();
  }
}

async function load(client: BackupSession, frames: Frames, say: Operation["say"]) {
  const first = await nextFrame(frames);
  if (first.kind !== "header") throw new Error("a backup begins with its header");
  const { header } = first;
  await createSchema(client, { migration: header.migrations.at(-1)?.version ?? 0, queue: header.queue }).catch(
    (error: Error) => {
      throw error instanceof QueueTooNewError ? tooNew(header) : error;
    },
  );
  const state = await beginLoad(client, header.tables);
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  const progress = createProgress(say);
  let total = 0;
  for (;;) {
    const frame = await nextFrame(frames);
    if (frame.kind === "trailer") break;
    if (frame.kind !== "table") throw new Error("rows without their table");
    const rows = readRows(frames, (bytes) => progress(frame.name, null, bytes));
    const table = tables.get(frame.name);
    if (!table || !state.tables.has(frame.name)) {
      const count = await rows.skip();
      if (count > 0)
        say(
          `${frame.name} is not a table of Tidings: ${countText(count, "row")} left out. Copy it with PostgreSQL's own tools.`,
        );
      continue;
    }
    const copied = await copyTableIn(client, table, rows.pieces);
    if (copied !== rows.count())
      throw new Error(`${frame.name} got ${numberText(copied)} rows instead of ${numberText(rows.count())}`);
    progress(frame.name, copied, rows.bytes());
    total += copied;
  }
  say("Checking references …");
  await endLoad(client, state, header.sequences);
  return { header, rows: total };
}

async function nextFrame(frames: Frames): Promise<Frame> {
  const { value, done } = await frames.next();
  if (done) throw new Error("frames ended without a trailer");
  return value;
}

/** The rows of one table, up to the frame that counts them. */
function readRows(frames: Frames, watch: (bytes: number) => void) {
  let count = 0;
  let bytes = 0;
  async function* read(): AsyncGenerator<Buffer> {
    for (;;) {
      const frame = await nextFrame(frames);
      if (frame.kind === "end") {
        count = frame.rows;
        return;
      }
      if (frame.kind !== "rows") throw new Error("a table without its end");
      bytes += frame.bytes.length;
      watch(bytes);
      yield frame.bytes;
    }
  }
  const pieces = read();
  const skip = async () => {
    for await (const _ of pieces);
    return count;
  };
  return { pieces, skip, count: () => count, bytes: () => bytes };
}

/** Cancels what was due, as an event is canceled, with a reason that the activity shows. */
async function skip(client: BackupSession, { at }: BackupHeader): Promise<void> {
  const now = new Date();
  const reason = `restored from a backup of ${timeText(at)}, after which it may have been sent`;
  await cancelDueWork(client, {
    reason: `Canceled: ${reason}`,
    detail: detail("step_canceled", now, { raw: { reason } }),
    now,
  });
}

export const tooNew = ({ program }: BackupHeader) =>
  new OperateError(
    `The backup was taken by Tidings ${program}, whose tables this version does not know. ` +
      "Restore it with that version or a later one. Nothing was changed.",
  );
