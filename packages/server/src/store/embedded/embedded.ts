// The PostgreSQL that the service starts by itself when no DATABASE_URL is given, so that a laptop runs the same engine
// as a cluster. The server outlives a killed service on purpose: the next one adopts it. Who may use the folder is
// decided by an advisory lock inside the database, because a process that dies cannot leave that one behind.
import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import * as files from "./folder.ts";
import { ask, connect, keepLock, type Lock, type Session, takeLock } from "./lock.ts";
import { endPostmaster, findPostmaster, freePort } from "./process.ts";
import { connectService, servicePassword, serviceRole } from "./role.ts";

export type EmbeddedDatabase = {
  url: string;
  version: string;
  origin: "created" | "started" | "adopted";
  stop(): Promise<void>;
};

/** Another service lives on this data folder. */
export class DataFolderInUse extends Error {
  override name = "DataFolderInUse";
}

type Progress = (message: string) => void;
type Options = { dataDir: string; progress?: Progress; settings?: Record<string, string> };

const START_LIMIT = 120_000;
// A service that was just killed loses its lock when the server notices the closed connection, a moment later.
const LOCK_PATIENCE = 2_000;
const DEAF_PATIENCE = 5_000;

const serverSettings = {
  listen_addresses: "127.0.0.1",
  // A socket's path may be about a hundred characters long, which deep data folders exceed.
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "256MB",
  wal_compression: "on",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  random_page_cost: "1.1",
  logging_collector: "off",
  log_destination: "stderr",
  log_min_messages: "warning",
  log_checkpoints: "off",
};

/** The address of the server that runs on this data folder now; null when none does. */
export async function findEmbeddedUrl(dataDir: string): Promise<string | null> {
  const found = await files.readFolder(dataDir);
  const postmaster = found && (await findPostmaster(found.pgdata));
  return postmaster?.ready ? urlOf(postmaster.port, found!.password) : null;
}

const urlOf = (port: number, password: string): string =>
  `postgres://${serviceRole}:${servicePassword(password)}@127.0.0.1:${port}/tidings`;

export async function startEmbedded(options: Options): Promise<EmbeddedDatabase> {
  const { dataDir, progress = () => {}, settings } = options;
  const folder = await files.openFolder(dataDir).catch(asSentence(dataDir));
  const { created, credentials } = await files.openCluster(folder, progress).catch(asSentence(dataDir));
  const { password } = credentials;
  const serving = { ...serverSettings, ...settings };
  const up = await bringUp(folder, credentials, serving, progress);
  const lock = keepLock(up.session, {
    take: () => takeLock(up.port, password),
    // The server died under a living service (killed, out of memory): bring it back on the port everybody knows.
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

const asSentence = (dataDir: string) => (error: NodeJS.ErrnoException) => {
  if (error.syscall === undefined) throw error;
  throw new Error(`The data folder ${dataDir} cannot be used by the user that runs this service: ${error.message}.`);
};

// The lock is kept until the server is gone: a service that starts meanwhile must wait for that, not adopt a dying
// server.
async function shutDown(folder: files.Folder, lock: Lock): Promise<void> {
  try {
    if (!(await lock.retire())) return;
    const postmaster = await findPostmaster(folder.pgdata);
    if (!postmaster || (await end(folder, postmaster.pid))) return;
    throw new Error(`PostgreSQL in ${folder.pgdata} does not stop. ${await files.lastWords(folder)}`);
  } finally {
    lock.release();
  }
}

const end = (folder: files.Folder, pid: number): Promise<boolean> =>
  endPostmaster(pid, folder.pgdata, folder.programs.pg_ctl);

/** Looks, acts, and looks again, until a server of this folder accepts us and we hold its lock. */
async function bringUp(
  folder: files.Folder,
  { port: wishedPort, password }: files.Credentials,
  settings: Record<string, string>,
  progress: Progress,
): Promise<{ session: Session; port: number; version: string; startedHere: boolean }> {
  const deadline = Date.now() + START_LIMIT;
  const [quiet, taken, deaf] = [stopwatch(), stopwatch(), stopwatch()];
  let own: files.Launched | undefined;
  let trouble = "it is starting or recovering";

  for (; Date.now() < deadline; await delay(20)) {
    if (quiet.reached(5_000)) {
      quiet.reset();
      progress(`Waiting for PostgreSQL in ${folder.pgdata}: ${trouble}`);
    }
    const postmaster = await findPostmaster(folder.pgdata);
    if (!postmaster) {
      if (own && !own.ended) continue;
      if (own) trouble = await files.whyRetry(folder, own);
      own = await files.launch(folder, await freePort(own ? undefined : wishedPort), settings);
      continue;
    }
    // Its pid file tells when it is ready; knocking earlier would only fill the log.
    if (!postmaster.ready) continue;
    const { port, pid } = postmaster;
    const answer = await enter(folder, port, password);
    if (answer.kind === "entered") return { ...answer, port, startedHere: pid === own?.pid };

    trouble = answer.why;
    if (answer.kind === "taken" && taken.reached(LOCK_PATIENCE)) {
      throw new DataFolderInUse(
        `The data folder ${folder.path} is in use by another running service. Stop that one first, or give this one ` +
          "a data folder of its own; to run several services on one database, set DATABASE_URL.",
      );
    }
    if (answer.kind === "refused") {
      if (pid === own?.pid) await end(folder, pid);
      throw new Error(
        `PostgreSQL in ${folder.pgdata} does not accept the password in ${folder.credentialsFile} (${trouble}): ` +
          `put back the file that belongs to it. ${await files.lastWords(folder)}`,
      );
    }
    // Safe to end, since nobody can be using it: it does not listen where it says, or its lock was free.
    if (answer.kind === "misplaced" || (answer.kind === "deaf" && deaf.reached(DEAF_PATIENCE))) {
      progress(`Restarting PostgreSQL in ${folder.pgdata}: ${trouble}`);
      await end(folder, pid);
      deaf.reset();
    }
  }
  throw new Error(
    `PostgreSQL in ${folder.pgdata} was not ready within ${START_LIMIT / 1000} s: ${trouble}. If it is recovering ` +
      `from a crash it goes on with that, and the next start finds it. ${await files.lastWords(folder)}`,
  );
}

type Answer =
  | { kind: "entered"; session: Session; version: string }
  | { kind: "taken" | "refused" | "misplaced" | "deaf" | "not yet"; why: string };

const meaning: Record<string, "taken" | "refused" | "deaf"> = {
  "28P01": "refused",
  "28000": "refused",
  // Too many clients: then somebody is using it.
  "53300": "taken",
  ECONNREFUSED: "deaf",
};

async function enter(folder: files.Folder, port: number, password: string): Promise<Answer> {
  let session: Session | undefined;
  try {
    session = await takeLock(port, password);
    if (!session) return { kind: "taken", why: "another service holds its lock" };
    const serves = String(await ask(session, "show data_directory"));
    if ((await realpath(serves).catch(() => undefined)) !== folder.pgdata) {
      session.socket.destroy();
      return { kind: "misplaced", why: `it believes to be in ${serves}` };
    }
    // A server that is shutting down may still have given us the lock of its last service, but lets nobody in any more.
    const second = await connectService(session, port, password);
    const version = String(await ask(second, "show server_version").finally(() => second.socket.destroy()));
    return { kind: "entered", session, version: version.split(" ")[0] ?? version };
  } catch (error) {
    session?.socket.destroy();
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "3D000") await createDatabase(port, password).catch(() => undefined);
    return { kind: meaning[code] ?? "not yet", why: message };
  }
}

// Not part of making the cluster: a kill in between leaves a cluster without it. Losing a race for it is no harm
// either.
async function createDatabase(port: number, password: string): Promise<void> {
  const session = await connect(port, password, "postgres");
  await ask(session, "create database tidings").finally(() => session.socket.destroy());
}

function stopwatch() {
  let since: number | undefined;
  return {
    /** Whether it is this long ago that this was asked first. */
    reached: (milliseconds: number): boolean => {
      since ??= Date.now();
      return Date.now() - since >= milliseconds;
    },
    reset: () => {
      since = undefined;
    },
  };
}
