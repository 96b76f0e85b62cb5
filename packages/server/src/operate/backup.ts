// `tidings backup`: the whole database as one file, taken at one moment while the service runs.
import type { Writable } from "node:stream";
import { type Config, readConfig } from "../config.ts";
import { isInstallation } from "../store/backup/catalogue.ts";
import { type BackupSession, openSession } from "../store/backup/session.ts";
import { closeSnapshot, copyTableOut, openSnapshot, type Snapshot } from "../store/backup/snapshot.ts";
import { findEmbeddedUrl, startEmbedded } from "../store/embedded/embedded.ts";
import { findClusterMajor } from "../store/embedded/folder.ts";
import { type DatabaseFault, findDatabaseFault } from "../store/faults.ts";
import { waitForDatabase } from "../store/wait-for-database.ts";
import { version } from "../version.ts";
import { writeToFile, writeToStream } from "./backup-file.ts";
import { type BackupHeader, formatVersion, writeFrames } from "./format.ts";
import { fingerprintsOf, keysText, placeOfKey, readKeys, requireMatch } from "./keys.ts";
import { createProgress, OperateError, type Operation } from "./words.ts";

/** `to`: the path of a file, or a stream. `withKey`: the backup encloses the encryption key. */
export type BackupOptions = Operation & { to: string | Writable; withKey: boolean };

export type BackupResult = {
  at: string;
  tables: number;
  rows: number;
  bytes: number;
  /** Where the encryption key is, which a restore needs; null when the backup encloses it. */
  key: string | null;
};

export async function backup({ to, withKey, ...operation }: BackupOptions): Promise<BackupResult> {
  const { say, signal } = operation;
  const config = readConfig(operation.env);
  const database = await openInstallation(config, say);
  try {
    const keys = readKeys(config);
    return await inSession({ url: database.url, name: "tidings backup", signal }, async (client) => {
      if (!(await isInstallation(client)))
        throw new OperateError(`There is no installation of Tidings in ${database.name}.`);
      const snapshot = await openSnapshot(client);
      requireMatch(keys, snapshot.probe, placeOfKey(config));
      const header: BackupHeader = {
        ...headerOf(snapshot),
        keys: fingerprintsOf(keys),
        ...(withKey && { encryptionKey: keysText(keys) }),
      };
      const frames = framesOf(client, header, say);
      const written = await (typeof to === "string"
        ? writeToFile(frames, to, signal)
        : writeToStream(frames, to, signal));
      await closeSnapshot(client);
      const { tables, rows } = written.trailer;
      return { at: header.at, tables, rows, bytes: written.bytes, key: withKey ? null : placeOfKey(config) };
    });
  } finally {
    await database.stop();
  }
}

/** The header without its keys. */
export const headerOf = ({ at, open, probe: _, ...snapshot }: Snapshot): BackupHeader => ({
  ...snapshot,
  format: formatVersion,
  program: version,
  at: at.toISOString(),
  open: open.map(({ first, last, ...one }) => ({ ...one, first: first.toISOString(), last: last.toISOString() })),
  keys: [],
});

export const framesOf = (client: BackupSession, header: BackupHeader, say: Operation["say"]) =>
  writeFrames(
    header,
    header.tables.map((table) => ({ name: table.name, read: () => copyTableOut(client, table) })),
    createProgress(say),
  );

/** An interrupt ends the session, and with it the query that runs and the transaction. */
export async function inSession<T>(
  { url, name, signal }: { url: string; name: string; signal: AbortSignal },
  work: (client: BackupSession) => Promise<T>,
): Promise<T> {
  const client = await openSession(url, name);
  const close = () => client.end().catch(() => {});
  signal.addEventListener("abort", close, { once: true });
  try {
    return await work(client);
  } catch (error) {
    throw explainFault(error as Error);
  } finally {
    signal.removeEventListener("abort", close);
    await close();
  }
}

const faults: Partial<Record<DatabaseFault, string>> = {
  disk_full: "The disk of the database is full: make room, and run the command again.",
  unreachable: "The connection to the database was lost: run the command again when the database is back.",
  locked: "Another session has locked a table, such as a migration: run the command again when it has ended.",
};

/** Whatever was written is rolled back. */
function explainFault(error: Error): Error {
  const fault = findDatabaseFault(error);
  const text = fault && faults[fault];
  return text ? new OperateError(`${text} Nothing was changed. (${error.message})`) : error;
}

type Source = { url: string; name: string; stop(): Promise<void> };

/** The database of a running service, or that of the data folder, started for the command. */
export async function openInstallation(config: Config, say: Operation["say"]): Promise<Source> {
  const { dataDir } = config;
  if (config.databaseUrl) return openExternal(config, say);
  const url = await findEmbeddedUrl(dataDir);
  if (url) return { url, name: dataDir, stop: async () => {} };
  if ((await findClusterMajor(dataDir)) === null)
    throw new OperateError(
      `There is no database in ${dataDir}. Run the command in the folder of the service, or with its TIDINGS_DATA_DIR or DATABASE_URL.`,
    );
  const embedded = await startEmbedded({ dataDir, progress: say });
  return { url: embedded.url, name: dataDir, stop: embedded.stop };
}

/** The database of DATABASE_URL, past a pooler. */
export async function openExternal(config: Config, say: Operation["say"]): Promise<Source> {
  const url = config.directDatabaseUrl || config.databaseUrl;
  const setting = config.directDatabaseUrl ? "TIDINGS_DIRECT_DATABASE_URL" : "DATABASE_URL";
  const limitMs = config.databaseWaitSeconds * 1_000;
  await waitForDatabase({ setting, url, limitMs, onWait: (reason) => say(`Waiting for the database: ${reason}`) });
  return { url, name: "the database of DATABASE_URL", stop: async () => {} };
}
