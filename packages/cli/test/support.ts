// Runs commands in the test's process, each with its own input, environment and folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { atEnd } from "@tidings/testkit/at-end";
import type { Client } from "@tidings/testkit/client";
import type { TestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import type { Io } from "../src/io.ts";
import { runCli } from "../src/main.ts";

type Run = { code: number; stdout: string; stderr: string };
type RunOptions = { input?: string; env?: Record<string, string>; cwd?: string; signal?: AbortSignal };

type Watched = {
  code: Promise<number>;
  stdout(): string;
  stderr(): string;
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
};

export type Terminal = {
  /** Its own folder, removed when the test file ends. */
  folder: string;
  run(...argv: string[]): Promise<Run>;
  runWith(options: RunOptions, ...argv: string[]): Promise<Run>;
  /** Starts a command that runs until it is interrupted. */
  watch(options: RunOptions, ...argv: string[]): Watched;
  /** The value that the command prints with --json. */
  json<T = unknown>(...argv: string[]): Promise<T>;
};

/** A terminal whose commands reach the service with its Development key. */
export function openTerminal(service: Pick<TestService, "url" | "apiKey">): Terminal {
  const folder = mkdtempSync(join(tmpdir(), "tidings-cli-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const base = { TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey, HOME: folder };
  const start = ({ input, env, cwd, signal }: RunOptions, argv: string[]) => {
    const stdout = collect();
    const stderr = collect();
    const io: Io = {
      stdout: stdout.stream,
      stderr: stderr.stream,
      stdin: Readable.from(input === undefined ? [] : [input]),
      env: { ...base, ...env },
      cwd: cwd ?? folder,
      signal: signal ?? new AbortController().signal,
    };
    return { code: runCli(argv, io), stdout: stdout.text, stderr: stderr.text };
  };
  const runWith = async (options: RunOptions, ...argv: string[]): Promise<Run> => {
    const { code, stdout, stderr } = start(options, argv);
    return { code: await code, stdout: stdout(), stderr: stderr() };
  };
  const watch = (options: RunOptions, ...argv: string[]): Watched => {
    const started = start(options, argv);
    const told = () => `${argv.join(" ")}: ${started.stdout()}${started.stderr()}`;
    return { ...started, until: async (isSo) => void (await eventually(async () => (await isSo()) || null, told())) };
  };
  const run = (...argv: string[]) => runWith({}, ...argv);
  return {
    folder,
    run,
    runWith,
    watch,
    json: async (...argv) => JSON.parse((await run(...argv, "--json")).stdout),
  };
}

function collect(): { stream: Writable; text(): string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(part, _encoding, done) {
      parts.push(String(part));
      done();
    },
  });
  return { stream, text: () => parts.join("") };
}

/** The key of the environment that a client talks to. */
export async function keyOf(client: Client): Promise<string> {
  const { body } = await client("environments.list");
  return body.find(({ apiKeys }) => apiKeys)!.apiKeys![0]!.key;
}
