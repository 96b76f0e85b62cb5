// Reads and writes below one folder, and nowhere else: names are checked, symbolic links are refused, files are
// bounded. A pull writes names that a service sent, and a clone may hold links that a stranger created.
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CliError } from "../failure.ts";

const maxEntries = 5_000;
const maxFileBytes = 2 * 1024 * 1024;

/** Parts of a path are joined by "/" on every system. */
export type Folder = {
  root: string;
  /** Null when there is no such file. */
  read(path: string): string | null;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Names in a folder; null when there is no such folder. */
  list(path: string): { files: string[]; folders: string[] } | null;
};

export function openFolder(root: string): Folder {
  const list = (path: string) => {
    const place = checkPath(root, path);
    if (kindOf(place, path) === "none") return null;
    const entries = readdirSync(place, { withFileTypes: true });
    if (entries.length > maxEntries) throw new CliError(`${path} has more than ${maxEntries} entries.`);
    const link = entries.find((entry) => entry.isSymbolicLink());
    if (link) throw linkError(path === "" ? link.name : `${path}/${link.name}`);
    const names = (isWanted: (entry: (typeof entries)[number]) => boolean) =>
      entries
        .filter((entry) => !entry.name.startsWith(".") && isWanted(entry))
        .map(({ name }) => name)
        .sort();
    return { files: names((entry) => entry.isFile()), folders: names((entry) => entry.isDirectory()) };
  };
  return {
    root,
    list,
    read: (path) => {
      const place = checkPath(root, path);
      if (kindOf(place, path) === "none") return null;
      const { size } = lstatSync(place);
      if (size > maxFileBytes) throw new CliError(`${path} has ${size} bytes, and at most ${maxFileBytes} are read.`);
      return decode(path, readFileSync(place));
    },
    write: (path, text) => {
      const place = checkPath(root, path);
      kindOf(place, path);
      const above = path.split("/").slice(0, -1).join("/");
      mkdirSync(join(root, above), { recursive: true });
      // A link in the last place, created since the check, is not followed.
      const file = openSync(
        place,
        constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0),
        0o644,
      );
      try {
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
    },
    remove: (path) => {
      const place = checkPath(root, path);
      if (kindOf(place, path) === "none") return;
      rmSync(place);
      removeEmpty(root, path.split("/").slice(0, -1));
    },
  };
}

/**
 * Without the mark that some editors put in front. Bytes that are not text would become other bytes when they are
 * written back.
 */
function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`${path} is not text in UTF-8.`);
  }
}

/** Folders that became empty go too, up to the root. */
function removeEmpty(root: string, parts: string[]): void {
  if (parts.length === 0) return;
  const place = join(root, ...parts);
  if (readdirSync(place).length > 0) return;
  rmdirSync(place);
  removeEmpty(root, parts.slice(0, -1));
}

const linkError = (path: string): CliError =>
  new CliError(`${path} is a symbolic link: files are read and written only in the folder itself.`, {
    fix: "Replace the link by the file.",
  });

/** The place of a path below the root, when none of the folders on the way is a link. */
function checkPath(root: string, path: string): string {
  if (path === "") return root;
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || /[\\\0:]/.test(part)))
    throw new CliError(`"${path}" cannot be the path of a file.`);
  for (let length = 1; length < parts.length; length++) {
    const above = parts.slice(0, length);
    if (kindOf(join(root, ...above), above.join("/")) === "none") break;
  }
  return join(root, ...parts);
}

function kindOf(place: string, path: string): "none" | "some" {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (!found) return "none";
  if (found.isSymbolicLink()) throw linkError(path);
  return "some";
}
