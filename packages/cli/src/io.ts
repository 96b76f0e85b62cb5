// What a command reads from and writes to. Tests hand in their own; nothing else in src/ touches `process`.
import type { Readable, Writable } from "node:stream";

export type Io = {
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  stdin: Readable & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  cwd: string;
  /** Aborted by Ctrl-C: a command that waits ends then. */
  signal: AbortSignal;
};

const maxInputLength = 16 * 1024 * 1024;

/** All of the standard input as text; null where it is a terminal. */
export async function readInput({ stdin }: Io): Promise<string | null> {
  if (stdin.isTTY) return null;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > maxInputLength) throw new Error("The standard input is longer than 16 MiB.");
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}
