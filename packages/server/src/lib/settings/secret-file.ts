// A secret that is in a file, as container platforms and service managers provide secrets: an environment variable is
// visible to every program that the process starts, and to whoever may inspect the container.
import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { isAbsolute } from "node:path";
import { fail } from "./setting-parsers.ts";

type Files = { stat(path: string): Stats; read(path: string): Buffer };

/** The largest secret is a list of database hosts, with some hundred characters. */
const maxBytes = 64 * 1024;

const reasons: Record<string, string> = {
  ENOENT: "which does not exist",
  ENOTDIR: "which does not exist",
  EACCES: "which the user of this process may not read",
  EPERM: "which the user of this process may not read",
  ELOOP: "which is a loop of links",
};

/**
 * The text of the file without whitespace around it. Throws what is wrong, never with what the file contains. A path
 * that is not absolute is not shown: it may be the secret itself.
 */
export function readSecretFile(path: string, { stat, read }: Files): string {
  if (!isAbsolute(path)) fail("must be the absolute path of a file, such as /run/secrets/tidings");
  const bytes = readRegularFile(path, { stat, read });
  const text = bytes.toString("utf8").trim();
  if (text === "") fail(`names ${path}, which is empty`);
  if (!isUtf8(bytes) || /\p{Cc}/u.test(text)) fail(`names ${path}, which must contain the value alone, on one line`);
  return text;
}

/** Not a pipe or a device, which could keep the start waiting. */
function readRegularFile(path: string, { stat, read }: Files): Buffer {
  try {
    const stats = stat(path);
    if (!stats.isFile()) fail(`names ${path}, which is not a file`);
    if (stats.size > maxBytes) fail(`names ${path}, which is larger than ${maxBytes / 1024} kB`);
    return read(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail(`names ${path}, ${reasons[code] ?? `which cannot be read (${code})`}`);
  }
}
