// The real program in its own process, with an embedded PostgreSQL in a temporary folder.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { firstStartFile } from "@tidings/server/source/first-start";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { type Client, createClient } from "./client.ts";
import { within } from "./programs/limits.ts";
import { bannerAddress, bareEnvironment, followProgram, type Program } from "./programs/program.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const program = fileURLToPath(new URL("../../server/start.mjs", import.meta.url));
const cli = fileURLToPath(new URL("../../cli/bin/tidings.mjs", import.meta.url));
const wholeBanner = /notifications\/feed|works on tasks\n\n.*\n.*\n/;
const startMs = 60_000;

type Started = { url: string; apiKey: string; banner: string; firstLink: string; client: Client };

type Service = Program & {
  /** Waits for the banner. */
  started(): Promise<Started>;
};

export type Folder = {
  path: string;
  run(settings?: Record<string, string>): Service;
  /** `tidings key` while the service runs: what it prints. */
  showKey(...args: string[]): Promise<string>;
  /** The same where it has to fail with the code: what it says. */
  refuseKey(code: number, ...args: string[]): Promise<string>;
  /** The same for `tidings sign-in`. */
  makeSignInLink(): Promise<string>;
  /** The same through `npm start`; signals go to npm. */
  runByNpm(settings?: Record<string, string>): Service;
  /** The address of the folder's database while it runs. */
  databaseUrl(): string;
};

/** A data folder for one test. At its end, all processes on the folder are stopped and the folder is deleted. */
export function temporaryFolder(context: TestContext): Folder {
  const path = mkdtempSync(join(tmpdir(), "tidings-process-"));
  const credentials = join(path, "postgres.json");
  const programs: Program[] = [];
  context.after(async () => {
    await Promise.all(programs.map((program) => program.kill()));
    // A killed service leaves its database running: adopt it and stop it.
    if (existsSync(credentials)) await (await startEmbedded({ dataDir: path })).stop();
    rmSync(path, { recursive: true, force: true });
  });
  // The file has the key on the first start only.
  const known: { apiKey?: string } = {};
  const track = (child: ChildProcess): Service => {
    const service = serviceOf(child, { known, file: join(path, firstStartFile) });
    programs.push(service);
    return service;
  };
  const runToEnd = async (code: number, args: string[], settings: Record<string, string> = {}): Promise<string> => {
    // A shell in which the command line is used as well.
    const shell = { TIDINGS_URL: "http://localhost:3000", ...settings };
    const shown = track(launch(path, shell, process.execPath, args));
    assert.equal(await shown.ended(), code, shown.output());
    return shown.output().trim();
  };
  return {
    path,
    run(settings = {}) {
      known.apiKey ??= settings.TIDINGS_API_KEY;
      return track(launch(path, settings, process.execPath, [program]));
    },
    // Keys are needed where there is no dashboard to make them in.
    showKey: (...args) => runToEnd(0, [cli, "key", ...args], { TIDINGS_DASHBOARD: "off" }),
    refuseKey: (code, ...args) => runToEnd(code, [cli, "key", ...args]),
    makeSignInLink: () => runToEnd(0, [cli, "sign-in"]),
    runByNpm: (settings = {}) => track(launch(path, settings, process.execPath, [process.env.npm_execpath!, "start"])),
    databaseUrl: () => {
      const { port, password } = JSON.parse(readFileSync(credentials, "utf8")) as Record<string, unknown>;
      return `postgres://tidings:${password}@127.0.0.1:${port}/tidings`;
    },
  };
}

// With the compile cache of the test run, a start takes one second of a core instead of two.
function launch(dataDir: string, settings: Record<string, string>, command: string, args: string[]): ChildProcess {
  const env = {
    ...bareEnvironment(),
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_DATA_DIR: dataDir,
    // The banner is for people.
    TIDINGS_LOG_FORMAT: "text",
    ...settings,
  };
  return spawn(command, args, { cwd: repository, env, stdio: ["ignore", "pipe", "pipe"] });
}

type FirstStart = { known: { apiKey?: string }; file: string };

/** The output is not a terminal, so the first link and the key are in a file. */
function serviceOf(child: ChildProcess, { known, file }: FirstStart): Service {
  const program = followProgram(child);
  return {
    ...program,
    async started() {
      const { input: banner } = await within(startMs, "the start", program.wrote(wholeBanner));
      const url = bannerAddress.exec(banner)?.[1] ?? "";
      const secrets = existsSync(file) ? readFileSync(file, "utf8") : "";
      known.apiKey ??= /API key\s+(\S+)/.exec(secrets)?.[1] ?? "";
      const firstLink = /Sign in\s+(\S+)/.exec(secrets)?.[1] ?? "";
      const { apiKey } = known;
      return { url, apiKey, banner, firstLink, client: createClient({ baseUrl: url, apiKey }) };
    },
  };
}
