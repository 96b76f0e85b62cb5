// Starts an image as an engine does, from its unpacked files: its own process and mount namespace, its own /proc, /dev
// and /dev/shm (64 MB, as Docker's), the user, environment, working folder and command of the image, no capabilities.
// The network is the machine's, or one that nobody else can reach.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { childrenOf } from "@tidings/testkit/programs/process-tree";
import { eventually } from "@tidings/testkit/wait";
import type { Image } from "./build.ts";

const runFile = promisify(execFile);

export type Options = {
  /** A folder that is mounted at /data; without one, /data is that of the image. */
  volume?: string;
  /** `uid:gid`; that of the image without it. */
  user?: string;
  /** The root file system cannot be written; /tmp is in memory. */
  isReadOnly?: boolean;
  env?: Record<string, string>;
  /** That of the image without it. */
  entrypoint?: string[];
  /** A network in which only its own processes can reach it. */
  hasOwnNetwork?: boolean;
};

export type Process = { pid: number; uid: number; name: string; args: string; isZombie: boolean };

export type Container = {
  /** All that it wrote. */
  output(): string;
  /** The exit code of its first process. */
  ended: Promise<number | null>;
  /** To its first process, as `docker stop` does. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Its processes, with their ids inside. */
  processes(): Promise<Process[]>;
  /** The id of one of its processes on this machine. */
  hostPid(pid: number): Promise<number>;
  /** Its own file, such as /proc/1/status. */
  read(path: string): Promise<string>;
  /** Another command in it, as `docker exec`. */
  exec(...command: string[]): Promise<{ code: number; output: string }>;
};

/** Runs as the first process of the container; the last line becomes the image's own. */
const enter = `
set -e
root=$1 volume=$2 writable=$3 network=$4; shift 4
if [ "$network" = own ]; then ip link set lo up; fi
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
if [ -n "$volume" ]; then mount --bind "$volume" "$root/data"; fi
if [ "$writable" = no ]; then mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"; mount -o remount,bind,ro "$root"; fi
exec chroot "$root" "$@"
`;

const endMs = 60_000;

const running = new Set<ChildProcess>();

/** After a failed trial. The kernel ends all processes of a container with its first, the child of `unshare`. */
export function killContainers(): Promise<boolean> {
  for (const { pid } of running) for (const first of childrenOf(pid!)) process.kill(first, "SIGKILL");
  return eventually(() => running.size === 0, "the end of all containers", endMs);
}
process.on("exit", () => void killContainers());

export function startContainer({ root, configuration }: Image, options: Options): Container {
  const { User, Env, Entrypoint, Cmd, WorkingDir } = configuration;
  const [uid = "", gid = "0"] = (options.user ?? User).split(":");
  const variables = [...Env, ...Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`)];
  const asUser = [
    ...["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all", "/usr/bin/env", "-i", `--chdir=${WorkingDir}`, ...variables],
  ];
  const child = spawn("unshare", [
    ...["--mount", "--pid", "--fork", "--propagation=private", ...(options.hasOwnNetwork ? ["--net"] : [])],
    ...["sh", "-c", enter, "enter"],
    ...[root, options.volume ?? "", options.isReadOnly ? "no" : "yes", options.hasOwnNetwork ? "own" : "shared"],
    ...[...asUser, ...(options.entrypoint ?? Entrypoint), ...Cmd],
  ]);
  running.add(child);
  child.once("close", () => running.delete(child));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));

  /** The first process on this machine: the only child of `unshare`. */
  const first = () => eventually(() => childrenOf(child.pid!)[0], "the first process of the container");
  const inside = async (path: string) => join(`/proc/${await first()}/root`, path);
  const processes = async (): Promise<Process[]> => {
    const proc = await inside("/proc");
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => describeProcess(join(proc, name), Number(name)))
      .toSorted((one, other) => one.pid - other.pid);
  };
  return {
    output: () => text,
    ended,
    signal: async (name) => void process.kill(await first(), name),
    processes,
    hostPid: async (pid) => {
      const mine = await first();
      const found = descendantsOf(mine).find((one) => innerPid(one) === pid);
      if (found === undefined) throw new Error(`process ${pid} of the container is gone`);
      return found;
    },
    read: async (path) => readFileSync(await inside(path), "utf8"),
    exec: async (...command) => {
      const target = ["--target", String(await first()), "--mount", "--pid", "--net", "--root", "--wd"];
      return runFile("nsenter", [...target, ...asUser, ...command], { timeout: 60_000 }).then(
        ({ stdout, stderr }) => ({ code: 0, output: (stdout + stderr).trim() }),
        (error: { code?: number; stdout?: string; stderr?: string }) => ({
          code: error.code ?? -1,
          output: `${error.stdout ?? ""}${error.stderr ?? ""}`.trim(),
        }),
      );
    },
  };
}

const descendantsOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(descendantsOf)];

const innerPid = (pid: number): number =>
  Number(/^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Nothing for a process that has just ended. */
function describeProcess(folder: string, pid: number): Process[] {
  try {
    const [, name = "", state] = /\((.*)\) (\S)/s.exec(readFileSync(join(folder, "stat"), "utf8")) ?? [];
    const args = readFileSync(join(folder, "cmdline"), "utf8").split("\0").join(" ").trim();
    return [{ pid, uid: statSync(folder).uid, name, args, isZombie: state === "Z" }];
  } catch {
    return [];
  }
}
