// The data folder of the embedded PostgreSQL: `postgres/` (the cluster), `postgres.json` (port and password),
// `postgres.log`, and starting a server on them. Every step is atomic: it may be interrupted by a kill, and two
// services may run it at once.
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
import { DataFolderError, explainInitdb, nameUser, requireAccess } from "./access.ts";
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

/** `port` is the one used last; the port of a running server is in its pid file. */
export type Credentials = { port?: number; password: string };

/** `logFrom`: offset in the log file at which the lines of this server begin. */
export type Launched = Server & { logFrom: number };

/** The folder inside the data folder in which `tidings upgrade-database` makes the next database. */
export const upgradeFolder = "upgrade";

/** The database has to be upgraded before a server can start on it. Shown to the operator without a stack. */
class UpgradeNeededError extends Error {
  override name = "UpgradeNeededError";
}

const unfinishedPrefix = "postgres.unfinished-";
const otherMajor = /by PostgreSQL version (\d{1,3})\b.{0,20}, which is not compatible with this version (\d{1,3})/;
const temporaryTrouble =
  /^.*(ready to accept connections|lock file .*(exists|is empty)|shared memory block|Address already in use).*$/m;
const maxLogBytes = 10 * 1024 * 1024;

/** `given`: the programs of another PostgreSQL than the one that is installed. */
export async function openFolder(dataDir: string, given?: Programs): Promise<Folder> {
  const programs = given ?? (await findPrograms());
  const wanted = resolve(dataDir);
  const user = await chooseUser(join(wanted, "postgres"));
  await mkdir(dirname(wanted), { recursive: true });
  const made = await mkdir(wanted, { mode: 0o700 }).then(() => true, ignoring("EEXIST"));
  if (made && user) {
    // The folder belongs to root; the only other user who may enter it is the one that PostgreSQL runs as.
    await chown(wanted, 0, user.gid);
    await chmod(wanted, 0o710);
  }
  await requireAccess(wanted);
  // Real paths, because they are compared with the working folder of a running server.
  const path = await realpath(wanted);
  const pgdata = (await realpath(join(path, "postgres")).catch(ignoring("ENOENT"))) ?? join(path, "postgres");
  const launch = await launcherFor(user, [dirname(pgdata), programs.postgres]);
  const [credentialsFile, log] = [join(path, "postgres.json"), join(path, "postgres.log")];
  return { path, pgdata, credentialsFile, log, programs, user, launch };
}

/** Creates the cluster unless it exists; `created` says whether this call did. */
export async function openCluster(
  folder: Folder,
  progress: (message: string) => void,
  password = randomBytes(24).toString("hex"),
): Promise<{ created: boolean; credentials: Credentials }> {
  // The password is written before the cluster is created, so a cluster without a password file has lost it.
  const existed = await hasCluster(folder);
  if (existed) await fixOwnership(folder);
  else await refuseHalfUpgrade(folder);
  if (!existed && !(await readCredentials(folder))) await writeCredentials(folder, { password }, link);
  const credentials = await readCredentials(folder);
  if (!credentials) {
    throw new Error(
      `${folder.pgdata} holds a database, but its password is missing: ` +
        `put ${folder.credentialsFile} back from a backup.`,
    );
  }
  return { created: !existed && (await createCluster(folder, credentials, progress)), credentials };
}

// Copies, restored backups and mounted volumes have another owner or wider permissions than PostgreSQL accepts.
async function fixOwnership({ pgdata, user }: Folder): Promise<void> {
  const { uid, mode } = await stat(pgdata);
  if (user && uid === 0) {
    // The folder itself last: as long as it belongs to root, the next start repeats this.
    for (const name of [...(await readdir(pgdata, { recursive: true })), ""]) {
      await lchown(join(pgdata, name), user.uid, user.gid);
    }
  }
  if (mode & 0o027) await chmod(pgdata, 0o700);
}

const hasCluster = async (folder: Folder): Promise<boolean> =>
  (await stat(join(folder.pgdata, "PG_VERSION")).catch(ignoring("ENOENT"))) !== undefined;

/** The major version of the PostgreSQL that a data folder belongs to; null when it has no database. */
export async function findClusterMajor(dataDir: string, name = "postgres"): Promise<number | null> {
  const text = await readFile(join(dataDir, name, "PG_VERSION"), "utf8").catch(ignoring("ENOENT"));
  return text === undefined ? null : Number.parseInt(text, 10);
}

/** An upgrade was killed after the old database was moved away: a new, empty one must not take its place. */
async function refuseHalfUpgrade({ path }: Folder): Promise<void> {
  if ((await findClusterMajor(join(path, upgradeFolder))) === null) return;
  throw new UpgradeNeededError(
    `An upgrade of the database in ${path} was interrupted. Run tidings upgrade-database, which finishes it.`,
  );
}

// Two services may create a cluster at once: each works in its own folder with the same password, and the first rename
// wins.
async function createCluster(
  folder: Folder,
  credentials: Credentials,
  progress: (message: string) => void,
): Promise<boolean> {
  progress(`Creating a PostgreSQL database in ${folder.pgdata}`);
  const work = await mkdtemp(join(folder.path, unfinishedPrefix));
  const passwordFile = join(work, "password");
  const { file, args, as } = folder.launch(folder.programs.initdb, [
    ...["--pgdata", join(work, "data"), "--username", "tidings", "--pwfile", passwordFile, "--auth", "scram-sha-256"],
    ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
  ]);
  try {
    await writeDurably(folder, passwordFile, credentials.password);
    await chownToServerUser(folder, work);
    const env = { ...childEnvironment, ...(await nameUser(work)) };
    await run(file, args, { ...as, cwd: folder.path, env, timeout: 120_000 });
    await rename(join(work, "data"), folder.pgdata);
    await syncFolder(folder.path);
    return true;
  } catch (error) {
    if (await hasCluster(folder)) return false;
    const reason = explainInitdb((error as Error).message.trim());
    throw new DataFolderError(`No PostgreSQL database could be created in ${folder.pgdata}. ${reason}`);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Removes the remains of killed starts. Only the service that holds the lock may call this. */
export async function removeUnfinished(folder: Folder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    // Another service that is still creating its cluster may write into its folder; it removes the rest itself.
    await rm(join(folder.path, name), { recursive: true, force: true, maxRetries: 5 }).catch(ignoring("ENOTEMPTY"));
  }
}

/** Cluster and password of an existing folder; creates nothing. */
export async function readFolder(dataDir: string): Promise<{ pgdata: string; password: string } | undefined> {
  const credentials = await readCredentials({ credentialsFile: join(dataDir, "postgres.json") });
  const pgdata = await realpath(join(dataDir, "postgres")).catch(ignoring("ENOENT"));
  return credentials && pgdata ? { pgdata, password: credentials.password } : undefined;
}

async function readCredentials({
  credentialsFile: file,
}: Pick<Folder, "credentialsFile">): Promise<Credentials | undefined> {
  const text = await readFile(file, "utf8").catch(ignoring("ENOENT"));
  if (text === undefined) return undefined;
  try {
    const { port, password } = JSON.parse(text) as Record<string, unknown>;
    if (typeof password === "string") return { port: typeof port === "number" ? port : undefined, password };
  } catch {}
  throw new Error(`${file} cannot be read as the port and password of the database: put it back from a backup.`);
}

export const rememberPort = (folder: Folder, port: number, password: string): Promise<void> =>
  writeCredentials(folder, { port, password }, rename);

// `place`: link keeps an existing file, rename replaces it.
async function writeCredentials(folder: Folder, credentials: Credentials, place: typeof link): Promise<void> {
  const unfinished = join(folder.path, `${unfinishedPrefix}${randomBytes(6).toString("hex")}.json`);
  try {
    await writeDurably(folder, unfinished, `${JSON.stringify(credentials, null, 2)}\n`);
    await place(unfinished, folder.credentialsFile).catch(ignoring("EEXIST"));
    await syncFolder(folder.path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function writeDurably(folder: Folder, file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chownToServerUser(folder, file);
}

export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path);
  await handle.sync().finally(() => handle.close());
}

const chownToServerUser = async ({ user }: Folder, path: string): Promise<void> => {
  if (user) await lchown(path, user.uid, user.gid);
};

/** Starts a server. It may end at once: then `ended` is set, and `findRetryReason` says why. */
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
 * Why a server ended, if the cause is temporary and the start may be retried: another service was faster, or adopted
 * our server and has stopped it again; processes of a killed server still run; the port was taken meanwhile. Throws for
 * any other cause.
 */
export async function findRetryReason(folder: Folder, own: Launched): Promise<string> {
  const logged = await logSince(folder, own.logFrom);
  const found = temporaryTrouble.exec(logged);
  if (found) return delay(100, found[0]);
  const [, old, installed] = otherMajor.exec(logged) ?? [];
  if (old)
    throw new UpgradeNeededError(
      `The database in ${folder.path} belongs to PostgreSQL ${old}, and this version of Tidings has PostgreSQL ${installed}. ` +
        "Run tidings upgrade-database: it copies the data into a new database and keeps the old one.",
    );
  throw new Error(`PostgreSQL could not start in ${folder.pgdata} (${own.ended}). ${await readLogEnd(folder)}`);
}

async function openLog(folder: Folder) {
  const size = (await stat(folder.log).catch(ignoring("ENOENT")))?.size ?? 0;
  if (size > maxLogBytes) await rename(folder.log, `${folder.log}.1`).catch(ignoring("ENOENT"));
  const handle = await open(folder.log, "a", 0o600);
  await chownToServerUser(folder, folder.log);
  return { handle, from: (await handle.stat()).size };
}

async function logSince(folder: Folder, from: number): Promise<string> {
  const text = await readFile(folder.log).catch(ignoring("ENOENT"));
  return text?.subarray(from).toString("utf8").trim() ?? "";
}

/** For error messages: the path of the log and its last lines. */
export async function readLogEnd(folder: Folder): Promise<string> {
  const lines = (await logSince(folder, 0)).split("\n").slice(-12).join("\n");
  return `${folder.log} ends with:\n${lines}`;
}

/** For `.catch`: turns errors of this code into undefined, and throws all others. */
function ignoring(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
