// The embedded PostgreSQL's data folder: `postgres/` (the cluster), `postgres.json` (port and password),
// `postgres.log`, and starting a server on them. Every step here may be cut short by a kill or run in two services at
// once, and leaves either nothing or something whole.
import { randomBytes } from "node:crypto";
import {
  chmod,
  chown,
  lchown,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  childEnvironment,
  chooseUser,
  findPrograms,
  type Launcher,
  launcherFor,
  type Programs,
  run,
  type Server,
  startServer,
  type User,
} from "./process.ts";

export type Folder = {
  path: string;
  pgdata: string;
  credentialsFile: string;
  log: string;
  programs: Programs;
  user: User | undefined;
  launch: Launcher;
};

/** `port` is the one used last, and only a wish: a running server's own is in its pid file. */
export type Credentials = { port?: number; password: string };

/** `logFrom` is where the lines of this server begin. */
export type Launched = Server & { logFrom: number };

const UNFINISHED = "postgres.unfinished-";
const PASSING_TROUBLE =
  /^.*(ready to accept connections|lock file .*(exists|is empty)|shared memory block|Address already in use).*$/m;
const LOG_LIMIT = 10 * 1024 * 1024;

export async function openFolder(dataDir: string): Promise<Folder> {
  const programs = await findPrograms();
  const wanted = resolve(dataDir);
  const user = await chooseUser(join(wanted, "postgres"));
  await mkdir(dirname(wanted), { recursive: true });
  const made = await mkdir(wanted, { mode: 0o700 }).then(() => true, unless("EEXIST"));
  if (made && user) {
    // Root's folder, which nobody else may enter but the user that PostgreSQL runs as.
    await chown(wanted, 0, user.gid);
    await chmod(wanted, 0o710);
  }
  // Real paths, because they are compared with the one that a running server works in.
  const path = await realpath(wanted);
  const pgdata = (await realpath(join(path, "postgres")).catch(unless("ENOENT"))) ?? join(path, "postgres");
  const launch = await launcherFor(user, [dirname(pgdata), programs.postgres]);
  const [credentialsFile, log] = [join(path, "postgres.json"), join(path, "postgres.log")];
  return { path, pgdata, credentialsFile, log, programs, user, launch };
}

/** Makes the cluster unless there is one; `created` says whether this call did. */
export async function openCluster(
  folder: Folder,
  progress: (message: string) => void,
): Promise<{ created: boolean; credentials: Credentials }> {
  // In this order: the password is written before the cluster appears, so a cluster without one has lost it.
  const existed = await hasCluster(folder);
  if (existed) await settleOwnership(folder);
  else if (!(await readCredentials(folder))) {
    await writeCredentials(folder, { password: randomBytes(24).toString("hex") }, link);
  }
  const credentials = await readCredentials(folder);
  if (!credentials) {
    throw new Error(
      `${folder.pgdata} holds a database, but its password is missing: ` +
        `put ${folder.credentialsFile} back from a backup.`,
    );
  }
  return { created: !existed && (await createCluster(folder, credentials, progress)), credentials };
}

// Copies, restored backups and mounted volumes come with another owner or wider permissions than PostgreSQL accepts.
async function settleOwnership({ pgdata, user }: Folder): Promise<void> {
  const { uid, mode } = await stat(pgdata);
  if (user && uid === 0) {
    // The folder itself last: as long as it is root's, the next start knows that this is not finished.
    for (const name of [...(await readdir(pgdata, { recursive: true })), ""]) {
      await lchown(join(pgdata, name), user.uid, user.gid);
    }
  }
  if (mode & 0o027) await chmod(pgdata, 0o700);
}

const hasCluster = async (folder: Folder): Promise<boolean> =>
  (await stat(join(folder.pgdata, "PG_VERSION")).catch(unless("ENOENT"))) !== undefined;

// Two services may get here at once. Each works in a folder of its own with the one password, and renaming decides.
async function createCluster(
  folder: Folder,
  credentials: Credentials,
  progress: (message: string) => void,
): Promise<boolean> {
  progress(`Creating a PostgreSQL database in ${folder.pgdata}`);
  const work = await mkdtemp(join(folder.path, UNFINISHED));
  const passwordFile = join(work, "password");
  const { file, args, as } = folder.launch(folder.programs.initdb, [
    ...["--pgdata", join(work, "data"), "--username", "tidings", "--pwfile", passwordFile, "--auth", "scram-sha-256"],
    ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
  ]);
  try {
    await writeWhole(folder, passwordFile, credentials.password);
    await give(folder, work);
    await run(file, args, { ...as, cwd: folder.path, env: childEnvironment, timeout: 120_000 });
    await rename(join(work, "data"), folder.pgdata);
    await syncFolder(folder.path);
    return true;
  } catch (error) {
    if (await hasCluster(folder)) return false;
    throw new Error(`No PostgreSQL database could be created in ${folder.pgdata}. ${(error as Error).message.trim()}`);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What killed starts left behind. For the one service that has the folder, or it would take away another's work. */
export async function removeUnfinished(folder: Folder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // A service that is losing the race may still be writing in there; it removes the rest itself.
    await rm(join(folder.path, name), { recursive: true, force: true, maxRetries: 5 }).catch(unless("ENOTEMPTY"));
  }
}

/** Cluster and password of a folder that has them; nothing is made. */
export async function readFolder(dataDir: string): Promise<{ pgdata: string; password: string } | undefined> {
  const credentials = await readCredentials({ credentialsFile: join(dataDir, "postgres.json") });
  const pgdata = await realpath(join(dataDir, "postgres")).catch(unless("ENOENT"));
  return credentials && pgdata ? { pgdata, password: credentials.password } : undefined;
}

async function readCredentials({
  credentialsFile: file,
}: Pick<Folder, "credentialsFile">): Promise<Credentials | undefined> {
  const text = await readFile(file, "utf8").catch(unless("ENOENT"));
  if (text === undefined) return undefined;
  try {
    const { port, password } = JSON.parse(text) as Record<string, unknown>;
    if (typeof password === "string") return { port: typeof port === "number" ? port : undefined, password };
  } catch {}
  throw new Error(`${file} cannot be read as the port and password of the database: put it back from a backup.`);
}

export const rememberPort = (folder: Folder, port: number, password: string): Promise<void> =>
  writeCredentials(folder, { port, password }, rename);

// `place` is link for "only if there is none yet", rename for "instead of the old one".
async function writeCredentials(folder: Folder, credentials: Credentials, place: typeof link): Promise<void> {
  const unfinished = join(folder.path, `${UNFINISHED}${randomBytes(6).toString("hex")}.json`);
  try {
    await writeWhole(folder, unfinished, `${JSON.stringify(credentials, null, 2)}\n`);
    await place(unfinished, folder.credentialsFile).catch(unless("EEXIST"));
    await syncFolder(folder.path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function writeWhole(folder: Folder, file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await give(folder, file);
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path);
  await handle.sync().finally(() => handle.close());
}

const give = async ({ user }: Folder, path: string): Promise<void> => {
  if (user) await lchown(path, user.uid, user.gid);
};

/** Starts a server, which may turn out not to live: its `ended` says so, `whyRetry` why. */
export async function launch(folder: Folder, port: number, settings: Record<string, string>): Promise<Launched> {
  const log = await openLog(folder);
  const options = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const command = folder.launch(folder.programs.postgres, ["-D", folder.pgdata, ...options]);
  try {
    return Object.assign(startServer(command, folder.path, log.handle.fd), { logFrom: log.from });
  } finally {
    await log.handle.close();
  }
}

/**
 * The cause of a server's end, if it is one that passes: another service was faster, or took our server and has stopped
 * it again; the processes of a killed server are not gone yet; the port was taken in between. Throws for any other.
 */
export async function whyRetry(folder: Folder, own: Launched): Promise<string> {
  const said = await logSince(folder, own.logFrom);
  const passing = PASSING_TROUBLE.exec(said);
  if (passing) return delay(100, passing[0]);
  throw new Error(`PostgreSQL could not start in ${folder.pgdata} (${own.ended}). ${await lastWords(folder)}`);
}

async function openLog(folder: Folder) {
  const size = (await stat(folder.log).catch(unless("ENOENT")))?.size ?? 0;
  if (size > LOG_LIMIT) await rename(folder.log, `${folder.log}.1`).catch(unless("ENOENT"));
  const handle = await open(folder.log, "a", 0o600);
  await give(folder, folder.log);
  return { handle, from: (await handle.stat()).size };
}

async function logSince(folder: Folder, from: number): Promise<string> {
  const text = await readFile(folder.log).catch(unless("ENOENT"));
  return text?.subarray(from).toString("utf8").trim() ?? "";
}

/** The end of an error message: where to read on, and what stands there. */
export async function lastWords(folder: Folder): Promise<string> {
  const lines = (await logSince(folder, 0)).split("\n").slice(-12).join("\n");
  return `${folder.log} ends with:\n${lines}`;
}

/** For `.catch`: this one error is an answer (undefined), any other is thrown on. */
function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
