// The database of the settings: an external one, or the embedded PostgreSQL. Imports little, so that the embedded
// server starts while the rest of the service is still being loaded.
import type { Logger } from "pino";
import { type Config, ConfigError } from "./config.ts";
import { parseDatabaseUrl } from "./lib/settings/database-url.ts";
import { DataFolderError } from "./store/embedded/access.ts";
import { startEmbedded } from "./store/embedded/embedded.ts";
import { findDatabaseFault } from "./store/faults.ts";
import { inspectPooler } from "./store/pooler.ts";
import { DatabaseUnreachableError, waitForDatabase } from "./store/wait-for-database.ts";

export type OpenDatabase = { url: string; name: string; stop(): Promise<void> };

/** `onLaunched`: no other step of the start needs this process until the database responds. */
export async function openDatabase(config: Config, log: Logger, onLaunched?: () => void): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl) {
    await waitForExternal(config, log);
    return { url: databaseUrl, name: nameOf(databaseUrl), stop: async () => {} };
  }
  const embedded = await startEmbedded({ dataDir, progress: (message) => log.info(message), onLaunched });
  return { url: embedded.url, name: `embedded PostgreSQL ${embedded.version} in ${dataDir}`, stop: embedded.stop };
}

/** As PostgreSQL and Node report a full disk. */
const fullDiskLine = /could not .*(?:No space left on device|wrote only \d+ of \d+ bytes)|ENOSPC: .*/;

/**
 * An error that ended the start, for the operator: a full disk or a lost connection as a sentence, without a stack. The
 * transaction that met it was rolled back, and the next start repeats it: a migration is one transaction.
 */
export function explainStartError(error: unknown, database: string): unknown {
  const fault = findDatabaseFault(error);
  const { message = "" } = error as Error;
  // The embedded PostgreSQL may not even be created or started: the line of its log that says so. Other errors with
  // their own class are sentences already.
  const isPlain = Object.getPrototypeOf(error) === Error.prototype || error instanceof DataFolderError;
  const fullDisk = fault === "disk_full" ? message : isPlain && fullDiskLine.exec(message)?.[0];
  if (fullDisk)
    return new ConfigError(
      `The disk of ${database} is full: ${fullDisk}. The change that needed space was undone and nothing is lost: free or ` +
        "add disk space, then start again.",
    );
  if (fault !== "unreachable" || error instanceof DatabaseUnreachableError) return error;
  return new ConfigError(
    `The connection to ${database} was lost during the start: ${message}. The change in progress was undone and nothing is ` +
      "lost: start again when the database is available.",
  );
}

const nameOf = (url: string): string => `PostgreSQL at ${parseDatabaseUrl(url).name}`;

async function waitForExternal(config: Config, log: Logger): Promise<void> {
  const { databaseUrl, directDatabaseUrl } = config;
  const addresses = { DATABASE_URL: databaseUrl, TIDINGS_DIRECT_DATABASE_URL: directDatabaseUrl };
  for (const [setting, url] of Object.entries(addresses).filter(([, given]) => given !== "")) {
    await waitForDatabase({
      setting,
      url,
      limitMs: config.databaseWaitSeconds * 1_000,
      onWait: (reason) => log.warn({ reason }, `waiting for ${nameOf(url)}`),
    });
  }
  for (const { kind, text } of await inspectPooler(databaseUrl, directDatabaseUrl)) {
    if (kind === "fault") throw new ConfigError(text);
    log.warn(text);
  }
}
