// The embedded PostgreSQL, which the service starts when no DATABASE_URL is given: a laptop runs the same database
// engine as a cluster. The server keeps running when the service is killed, and the next service adopts it. An advisory
// lock inside the database keeps a second service off the data folder; it is released when the process of its holder
// ends.
import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { explainFolderError } from "./access.ts";
import * as files from "./folder.ts";
import { connect, keepLock, type Lock, queryValue, type Session, takeLock } from "./lock.ts";
import { findFreePort, findPostmaster, type Programs, stopPostmaster } from "./process.ts";
import { connectService, servicePassword, serviceRole } from "./role.ts";

export type EmbeddedDatabase = {
  url: string;
  version: string;
  origin: "created" | "started" | "adopted";
  stop(): Promise<void>;
};

/** Another running service uses this data folder. */
export class DataFolderInUseError extends Error {
  override name = "DataFolderInUseError";
}

type Progress = (message: string) => void;
type Options = {
  dataDir: string;
  progress?: Progress;
  settings?: Record<string, string>;
  /** The server process runs, which does not mean that it is ready. */
  onLaunched?: () => void;
  /** Another PostgreSQL than the one that is installed. */
  release?: { major: number; programs: Programs };
  /** For a cluster that is created; random unless given. */
  password?: string;
};

const startLimitMs = 120_000;
// The lock of a killed service is released when the server notices the closed connection, a moment later.
const lockWaitMs = 2_000;
const listenWaitMs = 5_000;

const serverSettings = {
  listen_addresses: "127.0.0.1",
  // A socket's path may be about a hundred characters long, which deep data folders exceed.
  unix_socket_directories: "",
  max_connections: "100",
  // Fewer processes: reads are served by the page cache, and no subscription of logical replication exists here.
  io_method: "sync",
  max_logical_replication_workers: "0",
  shared_buffers: "256MB",
  // Half of what follows from shared_buffers: all of it stays in memory once it was used, and a commit takes a tenth of
  // it.
  wal_buffers: "4MB",
  wal_compression: "on",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  random_page_cost: "1.1",
  logging_collector: "off",
  log_destination: "stderr",
  log_min_messages: "warning",
  log_checkpoints: "off",
};

/** Settings that older servers do not know are left out. */
function settingsOf(major: number): Record<string, string> {
  const { io_method: _, ...older } = serverSettings;
  return major < 18 ? older : serverSettings;
}

/** Stops a server that an interrupted command has left in this data folder. */
export async function stopLeftServer(dataDir: string): Promise<void> {
  const found = await files.readFolder(dataDir);
  const postmaster = found && (await findPostmaster(found.pgdata));
  if (!postmaster) return;
  const { programs } = await files.openFolder(dataDir);
  await stopPostmaster(postmaster.pid, found.pgdata, programs.pg_ctl);
}

/** The URL of the server that runs on this data folder; null when none runs. */
export async function findEmbeddedUrl(dataDir: string): Promise<string | null> {
  const found = await files.readFolder(dataDir);
  const postmaster = found && (await findPostmaster(found.pgdata));
  return postmaster?.ready ? urlOf(postmaster.port, found!.password) : null;
}

/** The same as the superuser, who may create roles. */
export async function findEmbeddedAdminUrl(dataDir: string): Promise<string | null> {
  const found = await files.readFolder(dataDir);
  const postmaster = found && (await findPostmaster(found.pgdata));
  return postmaster?.ready ? `postgres://tidings:${found!.password}@127.0.0.1:${postmaster.port}/tidings` : null;
}

const urlOf = (port: number, password: string): string =>
  `postgres://${serviceRole}:${servicePassword(password)}@127.0.0.1:${port}/tidings`;

export async function startEmbedded(options: Options): Promise<EmbeddedDatabase> {
  const { dataDir, progress = () => {}, settings, onLaunched = () => {}, release } = options;
  const folder = await files.openFolder(dataDir, release?.programs).catch(explainFolderError(dataDir));
  const { created, credentials } = await files
    .openCluster(folder, progress, options.password)
    .catch(explainFolderError(dataDir));
  const { password } = credentials;
  const serving = { ...(release ? settingsOf(release.major) : serverSettings), ...settings };
  const up = await startOrAdopt(folder, credentials, serving, { progress, onLaunched });
  const lock = keepLock(up.session, {
    take: () => takeLock(up.port, password),
    // The server was killed (out of memory, say) while the service runs: start it again on the port of its URL.
    revive: async () => {
      if (await findPostmaster(folder.pgdata)) return;
      progress(`PostgreSQL in ${folder.pgdata} is gone; starting it again`);
      await files.launch(folder, up.port, serving);
    },
    progress,
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= shutDown(folder, lock);
    return stopping;
  };
  try {
    await files.removeUnfinished(folder);
    if (up.port !== credentials.port) await files.rememberPort(folder, up.port, password);
  } catch (error) {
    await stop();
    throw error;
  }
  const url = urlOf(up.port, password);
  return { url, version: up.version, origin: created ? "created" : up.startedHere ? "started" : "adopted", stop };
}

// The lock is held until the server has stopped: a service that starts meanwhile must not adopt a server that is
// shutting down.
async function shutDown(folder: files.Folder, lock: Lock): Promise<void> {
  try {
    if (!(await lock.retire())) return;
    const postmaster = await findPostmaster(folder.pgdata);
    if (!postmaster || (await stopServer(folder, postmaster.pid))) return;
    throw new Error(`PostgreSQL in ${folder.pgdata} does not stop. ${await files.readLogEnd(folder)}`);
  } finally {
    lock.release();
  }
}

const stopServer = (folder: files.Folder, pid: number): Promise<boolean> =>
  stopPostmaster(pid, folder.pgdata, folder.programs.pg_ctl);

/**
 * Checks the state of the folder's server and acts on it, repeatedly, until this service is connected and holds the
 * lock.
 */
async function startOrAdopt(
  folder: files.Folder,
  { port: wishedPort, password }: files.Credentials,
  settings: Record<string, string>,
  { progress, onLaunched }: { progress: Progress; onLaunched: () => void },
): Promise<{ session: Session; port: number; version: string; startedHere: boolean }> {
  const deadline = Date.now() + startLimitMs;
  const [sinceProgress, sinceTaken, sinceUnreachable] = [stopwatch(), stopwatch(), stopwatch()];
  let own: files.Launched | undefined;
  let state = "it is starting or recovering";

  for (; Date.now() < deadline; await delay(20)) {
    if (sinceProgress.reached(5_000)) {
      sinceProgress.reset();
      progress(`Waiting for PostgreSQL in ${folder.pgdata}: ${state}`);
    }
    const postmaster = await findPostmaster(folder.pgdata);
    if (!postmaster) {
      if (own && !own.ended) continue;
      if (own) state = await files.findRetryReason(folder, own);
      own = await files.launch(folder, await findFreePort(own ? undefined : wishedPort), settings);
      onLaunched();
      continue;
    }
    // The pid file says when the server is ready; connecting earlier would only fill the log with errors.
    if (!postmaster.ready) continue;
    const { port, pid } = postmaster;
    const answer = await tryConnect(folder, port, password);
    if (answer.kind === "connected") return { ...answer, port, startedHere: pid === own?.pid };

    state = answer.why;
    if (answer.kind === "taken" && sinceTaken.reached(lockWaitMs)) {
      throw new DataFolderInUseError(
        `The data folder ${folder.path} is in use by another running service. Stop that one first, or give this one ` +
          "a data folder of its own; to run several services on one database, set DATABASE_URL.",
      );
    }
    if (answer.kind === "refused") {
      if (pid === own?.pid) await stopServer(folder, pid);
      throw new Error(
        `PostgreSQL in ${folder.pgdata} does not accept the password in ${folder.credentialsFile} (${state}): ` +
          `put back the file that belongs to it. ${await files.readLogEnd(folder)}`,
      );
    }
    // Safe to stop, because no service can be using it: it does not listen on its port, or its lock was free.
    if (answer.kind === "misplaced" || (answer.kind === "unreachable" && sinceUnreachable.reached(listenWaitMs))) {
      progress(`Restarting PostgreSQL in ${folder.pgdata}: ${state}`);
      await stopServer(folder, pid);
      sinceUnreachable.reset();
    }
  }
  throw new Error(
    `PostgreSQL in ${folder.pgdata} was not ready within ${startLimitMs / 1000} s: ${state}. If it is recovering ` +
      `from a crash, it continues, and the next start adopts it. ${await files.readLogEnd(folder)}`,
  );
}

type Answer =
  | { kind: "connected"; session: Session; version: string }
  | { kind: "taken" | "refused" | "misplaced" | "unreachable" | "not yet"; why: string };

const answerByCode: Record<string, "taken" | "refused" | "unreachable"> = {
  "28P01": "refused",
  "28000": "refused",
  // Too many clients: another service is using it.
  "53300": "taken",
  ECONNREFUSED: "unreachable",
};

async function tryConnect(folder: files.Folder, port: number, password: string): Promise<Answer> {
  let session: Session | undefined;
  try {
    session = await takeLock(port, password);
    if (!session) return { kind: "taken", why: "another service holds its lock" };
    const serves = String(await queryValue(session, "show data_directory"));
    if ((await realpath(serves).catch(() => undefined)) !== folder.pgdata) {
      session.socket.destroy();
      return { kind: "misplaced", why: `its data folder is ${serves}` };
    }
    // A server that is shutting down may still grant the lock, but refuses new connections: open a second one to find
    // out.
    const second = await connectService(session, port, password);
    const version = String(await queryValue(second, "show server_version").finally(() => second.socket.destroy()));
    return { kind: "connected", session, version: version.split(" ")[0] ?? version };
  } catch (error) {
    session?.socket.destroy();
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "3D000") await createDatabase(port, password).catch(() => undefined);
    return { kind: answerByCode[code] ?? "not yet", why: message };
  }
}

// Not part of creating the cluster, because a kill in between leaves a cluster without the database. Failing because
// another service created it first is harmless.
async function createDatabase(port: number, password: string): Promise<void> {
  const session = await connect(port, password, "postgres");
  await queryValue(session, "create database tidings").finally(() => session.socket.destroy());
}

function stopwatch() {
  let since: number | undefined;
  return {
    /** Whether this much time has passed since the first call (or the first after a reset). */
    reached: (milliseconds: number): boolean => {
      since ??= Date.now();
      return Date.now() - since >= milliseconds;
    },
    reset: () => {
      since = undefined;
    },
  };
}
