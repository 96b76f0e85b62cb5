// A folder of workflow files on this machine, read as the service takes it (packages/server/src/app/files/folder/).
import { type FolderFiles, projectFile, readFolder as readFiles } from "@tidings/server/folder";
import { CliError } from "../failure.ts";
import { type Folder, openFolder } from "./folder.ts";

export { projectFile };

export type LocalFiles = FolderFiles & { folder: Folder };

/** The folder of `--dir`, or the one the command is run in. */
export function openProject(cwd: string): Folder {
  const folder = openFolder(cwd);
  if (folder.read(projectFile) === null)
    throw new CliError(`There is no ${projectFile} in ${cwd}.`, {
      fix: "`tidings init` begins a new folder, `tidings pull` writes one from an environment; --dir names another.",
    });
  return folder;
}

export const readFolder = (folder: Folder): LocalFiles => ({ folder, ...readFiles(folder) });
