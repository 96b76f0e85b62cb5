// `tidings restore`: a backup into an empty database. Whatever is wrong with the file, the key or the target is found
// before anything is written.
import { setTimeout as delay } from "node:timers/promises";
import { type Config, readConfig } from "../config.ts";
import type { OpenWork } from "../store/backup/open-work.ts";
import type { BackupSession } from "../store/backup/session.ts";
import { type Contents, findContents, findNewestMigration, keepServicesOut } from "../store/backup/target.ts";
import { startEmbedded } from "../store/embedded/embedded.ts";
import { findClusterMajor } from "../store/embedded/folder.ts";
import { readMigrations } from "../store/installation/migration-files.ts";
import { inSession, openExternal } from "./backup.ts";
import { readFile, readHeader, verifyFile } from "./backup-file.ts";
import { BackupFileError, type BackupHeader, formatVersion } from "./format.ts";
import { checkKeys, writeKey } from "./keys.ts";
import { type DueChoice, loadFrames, tooNew } from "./load.ts";
import { countText, listText, OperateError, type Operation, timeText } from "./words.ts";

/** `due`: undefined where the operator has not chosen. */
export type RestoreOptions = Operation & { file: string; due: DueChoice | undefined };

export type RestoreResult = {
  at: string;
  program: string;
  rows: number;
  /** What was due before the restore began, and is sent or canceled. */
  due: OpenWork[];
  target: string;
  /** The file into which an enclosed encryption key was written. */
  keyFile: string | null;
};

export async function restore({ file, due, ...operation }: RestoreOptions): Promise<RestoreResult> {
  const { say, signal } = operation;
  const config = readConfig(operation.env);
  const header = await readHeader(file);
  checkVersion(header, file);
  const enclosed = checkKeys(config, header);
  requireChoice(header, due);
  const verify = async () => {
    say(`Checking ${file} …`);
    await verifyFile(file);
  };
  // A data folder without a database gets one only when the file is known to be good.
  const isNew = !config.databaseUrl && (await findClusterMajor(config.dataDir)) === null;
  if (isNew) await verify();
  const target = await openTarget(config, say);
  try {
    return await inSession({ url: target.url, name: "tidings restore", signal }, async (client) => {
      await requireEmpty(client, config, target.name);
      if (!isNew) await verify();
      let keyFile: string | null = null;
      const beforeCommit = async () => {
        if (enclosed !== null) keyFile = await writeKey(config, enclosed);
      };
      const loaded = await loadFrames(client, readFile(file), { due: due ?? "send", say, beforeCommit });
      const { at, program } = header;
      return { at, program, rows: loaded.rows, due: loaded.due, target: target.name, keyFile };
    });
  } finally {
    await target.stop();
  }
}

async function openTarget(config: Config, say: Operation["say"]) {
  if (config.databaseUrl) return openExternal(config, say);
  const { dataDir } = config;
  const embedded = await startEmbedded({ dataDir, progress: say });
  return { url: embedded.url, name: dataDir, stop: embedded.stop };
}

function checkVersion(header: BackupHeader, file: string): void {
  if (header.format > formatVersion) throw tooNew(header);
  const newest = header.migrations.at(-1);
  if (header.format < 1 || !newest) throw new BackupFileError(`${file} is not a backup of Tidings.`);
  if (newest.version > findNewestMigration()) throw tooNew(header);
  const known = new Map(readMigrations().map(({ version, checksum }) => [version, checksum]));
  const other = header.migrations.find(({ version, checksum }) => known.get(version) !== checksum);
  if (other)
    throw new OperateError(
      `The backup was taken with another text of the migration ${other.name} than this version has. ` +
        `Restore it with Tidings ${header.program}. Nothing was changed.`,
    );
}

/** Work that was due before now may have been done since: the operator decides, and sees what it is about. */
function requireChoice({ at, open }: BackupHeader, due: DueChoice | undefined): void {
  const now = Date.now();
  const past = open.filter(({ first }) => Date.parse(first) <= now);
  if (due !== undefined || past.length === 0) return;
  const first = past.map((one) => one.first).toSorted()[0]!;
  const last = past
    .map((one) => one.last)
    .toSorted()
    .at(-1)!;
  throw new OperateError(
    `When this backup was taken (${timeText(at)}), ${openText(past)} waited, due from ${timeText(first)} to ${timeText(last)}. ` +
      "The service that was backed up may have sent since what was due before now. Choose one: --skip-due cancels it, " +
      "with the reason in the activity; --send-due sends it now, perhaps for the second time (right if that service was " +
      "stopped before the backup). What is due later continues in both cases. Nothing was changed.",
  );
}

export const openText = (open: Pick<OpenWork, "noun" | "count">[]): string =>
  listText(open.map(({ noun, count }) => countText(count, noun)));

async function requireEmpty(client: BackupSession, config: Config, name: string): Promise<void> {
  if (!(await becomesFree(client)))
    throw new OperateError(
      `A service runs on ${name}: stop it, and restore into an empty database. Nothing was changed.`,
    );
  const contents = await findContents(client);
  if (contents) throw new OperateError(notEmpty(contents, config));
}

/** The connections of a process that has ended are gone a moment later. */
const endMs = 2_000;

async function becomesFree(client: BackupSession): Promise<boolean> {
  for (const until = performance.now() + endMs; performance.now() < until; await delay(100)) {
    if (await keepServicesOut(client)) return true;
  }
  return false;
}

function notEmpty({ tables, environments }: Contents, { databaseUrl, dataDir }: Config): string {
  const shown = tables.slice(0, 3).join(", ");
  const what = `${countText(tables.length, "table")} (${shown}${tables.length > 3 ? " …" : ""})`;
  const whose = environments.length > 0 ? `, with the environments ${listText(environments)}` : "";
  const fix = databaseUrl
    ? "Create an empty database, and name it in DATABASE_URL."
    : `Name another folder in TIDINGS_DATA_DIR, or move ${dataDir} away.`;
  return `The database is not empty: it has ${what}${whose}. A restore replaces nothing. ${fix} Nothing was changed.`;
}
