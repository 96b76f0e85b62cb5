// Builds the real Dockerfile without a daemon and without an image registry: a Debian base from mmdebstrap, a build
// base from it with the Node and npm of this machine, and `buildah bud` with chroot isolation.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const suite = "bookworm";

/** What an engine reads from an image before it starts it. */
type Configuration = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  Labels: Record<string, string>;
  StopSignal: string;
  Healthcheck?: { Test: string[]; Interval: number; Timeout: number; StartPeriod: number; Retries: number };
};

export type Image = { root: string; configuration: Configuration };

export type Builder = {
  build(options: { arch: "amd64" | "arm64"; stage?: string }): Promise<Image>;
  /** Removes everything that was built. */
  close(): void;
};

export function openBuilder(folder: string, say: (line: string) => void): Builder {
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  const containers: string[] = [];
  const buildah = (...args: string[]): string =>
    execFileSync("buildah", [...store, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 26,
    }).trim();
  const open = (image: string): string => {
    const name = buildah("from", "--pull-never", image);
    containers.push(name);
    return name;
  };
  const commit = (container: string, image: string) => buildah("commit", "--quiet", container, image);

  const makeBases = () => {
    const base = open("scratch");
    execFileSync("tar", [
      "--extract",
      "--numeric-owner",
      "--file",
      makeDebian(say),
      "--directory",
      buildah("mount", base),
    ]);
    commit(base, "localhost/debian-base");
    const withNode = open("localhost/debian-base");
    const npm = dirname(dirname(realpathSync(process.env.npm_execpath ?? "/usr/bin/npm")));
    buildah("copy", "--quiet", withNode, process.execPath, "/usr/local/bin/node");
    buildah("copy", "--quiet", withNode, npm, "/usr/local/lib/node_modules/npm");
    buildah(
      "run",
      "--isolation=chroot",
      withNode,
      "ln",
      "-s",
      "../lib/node_modules/npm/bin/npm-cli.js",
      "/usr/local/bin/npm",
    );
    commit(withNode, "localhost/node-base");
    say(
      `build base: the same with Node ${process.version} and npm ${JSON.parse(readFileSync(join(npm, "package.json"), "utf8")).version} of this machine`,
    );
  };

  let hasBases = false;
  let building: ChildProcess | undefined;
  return {
    build: async ({ arch, stage }) => {
      if (!hasBases) makeBases();
      hasBases = true;
      const npmrc = join(folder, "npmrc");
      writeFileSync(npmrc, readNpmConfiguration(), { mode: 0o600 });
      const tag = `localhost/tidings:${stage ?? arch}`;
      const started = Date.now();
      const args = [
        ...["bud", "--isolation=chroot", "--format=docker", "--pull-never", "--quiet", "--tag", tag],
        ...["--secret", `id=npmrc,src=${npmrc}`, ...(stage ? ["--target", stage] : [])],
        ...Object.entries(buildArguments(arch)).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
        ...["--file", join(root, "Dockerfile"), root],
      ];
      building = spawn("buildah", [...store, ...args], { stdio: ["ignore", "ignore", "inherit"], timeout: 1_200_000 });
      const [code] = await once(building, "exit");
      if (code !== 0) throw new Error(`buildah bud ended with ${code}; the lines above say why`);
      say(
        `built for linux/${arch}${stage ? `, stage "${stage}" only,` : ""} in ${Math.round((Date.now() - started) / 1000)} s`,
      );
      const container = open(tag);
      const { config } = (JSON.parse(buildah("inspect", container)) as { Docker: { config: Configuration } }).Docker;
      return { root: buildah("mount", container), configuration: config };
    },
    close: () => {
      building?.kill();
      for (const container of containers) spawnSync("buildah", [...store, "rm", container], { stdio: "ignore" });
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const buildArguments = (arch: string) => ({
  BASE: "localhost/debian-base",
  BUILD_BASE: "localhost/node-base",
  TARGETARCH: arch,
  REVISION: execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
});

const perlOfUsrmerge = [
  ...["perl", "libperl5.36", "perl-modules-5.36", "libgdbm6", "libgdbm-compat4"],
  ...["libfile-find-rule-perl", "libnumber-compare-perl", "libtext-glob-perl"],
];

/** A Debian like debian:12-slim. It is kept, because it takes a minute and its packages seldom change. */
function makeDebian(say: (line: string) => void): string {
  const file = join(root, "node_modules/.cache/tidings-image", `${suite}-${process.arch}.tar`);
  if (existsSync(file)) {
    say(
      `base: Debian ${suite}, created by mmdebstrap on ${lstatSync(file).mtime.toISOString()} (delete ${file} for a new one)`,
    );
    return file;
  }
  mkdirSync(dirname(file), { recursive: true });
  const excluded = ["doc", "groff", "info", "lintian", "linda", "locale", "man"].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  execFileSync(
    "mmdebstrap",
    [
      ...["--quiet", "--variant=minbase", "--include=usr-is-merged", "--skip=output/dev", ...excluded],
      ...["--dpkgopt=path-include=/usr/share/doc/*/copyright", '--aptopt=Apt::Install-Recommends "false"'],
      // Debian's own images are without them: usr-is-merged takes the place of usrmerge, which needs all of Perl.
      `--customize-hook=chroot "$1" apt-get -qq -y purge ${["usrmerge", ...perlOfUsrmerge].join(" ")} >/dev/null`,
      // Without a mirror, it uses that of Debian, with the updates and security fixes of the suite.
      ...[suite, `${file}.new`, "--format=tar"],
    ],
    { stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 },
  );
  renameSync(`${file}.new`, file);
  say(`base: Debian ${suite}, created by mmdebstrap`);
  return file;
}

/** How npm reaches its registry from here; given to the build as a secret, so that no image has it. */
function readNpmConfiguration(): string {
  const read = (name: string) =>
    execFileSync("npm", ["config", "get", name, "--loglevel=error"], { cwd: root, encoding: "utf8" }).trim();
  const file = [read("cafile"), process.env.NODE_EXTRA_CA_CERTS ?? ""].find((path) => existsSync(path));
  const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
  const certificates = file ? (readFileSync(file, "utf8").match(certificate) ?? []) : [];
  return [`registry=${read("registry")}`, ...certificates.map((one) => `ca[]=${JSON.stringify(one)}`), ""].join("\n");
}

/** The sizes of all files below, each counted once. */
export function sizeOf(path: string, seen = new Set<number>()): number {
  const { size, ino } = lstatSync(path);
  if (seen.has(ino)) return 0;
  seen.add(ino);
  if (!lstatSync(path).isDirectory()) return size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name), seen), 0);
}
