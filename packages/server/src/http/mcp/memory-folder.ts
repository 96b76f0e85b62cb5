// The files of a request as a folder that can be read. Paths name nothing on this machine.
import type { ReadableFolder } from "../../app/files/folder/source.ts";
import { quote } from "./answer.ts";
import { Refusal } from "./tool.ts";

const isPath = (path: string): boolean =>
  path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\0:]/.test(part));

export function memoryFolder(files: readonly { path: string; content: string }[]): ReadableFolder {
  const texts = new Map<string, string>();
  const folders = new Map<string, { files: Set<string>; folders: Set<string> }>();
  const folderAt = (path: string) => {
    if (!folders.has(path)) folders.set(path, { files: new Set(), folders: new Set() });
    return folders.get(path)!;
  };
  for (const { path, content } of files) {
    if (!isPath(path)) throw new Refusal(`${quote(path)} cannot be the path of a file.`);
    if (texts.has(path)) throw new Refusal(`${quote(path)} is given twice.`);
    texts.set(path, content.replace(/^\ufeff/, ""));
    const parts = path.split("/");
    for (let depth = 0; depth < parts.length; depth++) {
      const above = folderAt(parts.slice(0, depth).join("/"));
      (depth === parts.length - 1 ? above.files : above.folders).add(parts[depth]!);
    }
  }
  const namesIn = (names: Set<string>) => [...names].filter((name) => !name.startsWith(".")).sort();
  return {
    read: (path) => texts.get(path) ?? null,
    list: (path) => {
      const found = folders.get(path);
      return found ? { files: namesIn(found.files), folders: namesIn(found.folders) } : null;
    },
  };
}
