// The folder that a command works in, and the files that every folder has.
import { resolve } from "node:path";
import { editorSchema, fileKinds } from "@tidings/server/folder";
import type { Call } from "../command.ts";
import { type Folder, openFolder } from "./folder.ts";
import { projectFile } from "./read-folder.ts";

export const folderOf = ({ io, values }: Pick<Call, "io" | "values">): string =>
  resolve(io.cwd, (values.dir as string | undefined) ?? ".");

/** JSON Schemas for editors; the YAML files name them in their first line. */
export function writeSchemas(folder: Folder): void {
  for (const kind of fileKinds)
    folder.write(`.tidings/schema/${kind}.json`, `${JSON.stringify(editorSchema(kind), null, 2)}\n`);
}

const ignored = ".tidings/state.json";

/** The state belongs to one machine. */
function ignoreState(folder: Folder): void {
  const before = folder.read(".gitignore") ?? "";
  if (before.split(/\r?\n/).includes(ignored)) return;
  folder.write(".gitignore", `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${ignored}\n`);
}

const projectText = (source: string | null): string =>
  [
    "# yaml-language-server: $schema=.tidings/schema/project.json",
    "# Notifications as files: `tidings plan` shows what would change, `tidings apply` changes it.",
    "version: 1",
    ...(source === null ? [] : [`source: ${JSON.stringify(source)}`]),
    "",
  ].join("\n");

export function ensureProject(folderPath: string, source: string | null): Folder {
  const folder = openFolder(folderPath);
  if (folder.read(projectFile) === null) folder.write(projectFile, projectText(source));
  ignoreState(folder);
  writeSchemas(folder);
  return folder;
}
