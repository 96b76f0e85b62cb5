// What `tidings test` and `tidings render` read: the files of a folder, or the environment in use where there are
// none.
import type { FileResources } from "@tidings/contract";
import type { Call } from "../command.ts";
import { wrongUsage } from "../failure.ts";
import { countOf, type Output } from "../output.ts";
import type { Session } from "../session.ts";
import { checkFiles } from "./check-files.ts";
import { openFolder } from "./folder.ts";
import { problemsError } from "./problems.ts";
import { folderOf } from "./project.ts";
import { type LocalFiles, openProject, projectFile, readFolder } from "./read-folder.ts";

export type TestedFiles = {
  root: string;
  local: LocalFiles;
  /** What the environment in use has of a kind for which the folder has no files: an apply would leave it alone. */
  resources: Pick<FileResources, "workflows" | "layouts" | "categories" | "audiences" | "brand" | "attention">;
};

/** Null: the environment in use is tested. */
export async function findTestedFiles(call: Pick<Call, "io" | "values" | "session">): Promise<TestedFiles | null> {
  const { dir, remote } = call.values;
  if (remote && dir !== undefined) throw wrongUsage("Give --dir or --remote, not both.");
  const root = folderOf(call);
  if (remote || (dir === undefined && openFolder(root).read(projectFile) === null)) return null;
  const local = readFolder(openProject(root));
  const problems = await checkFiles(local);
  if (problems.length > 0) throw problemsError(problems, "`tidings validate` checks without a service.");
  const { workflows, layouts, categories, audiences, brand, attention } = local.resources;
  const isComplete = workflows && layouts && (categories || !workflows.some(({ categoryId }) => categoryId));
  if (isComplete) return { root, local, resources: { workflows, layouts, categories, audiences, brand, attention } };
  const { tidings } = await call.session();
  const { resources: there } = await tidings.files.export();
  return {
    root,
    local,
    resources: {
      workflows: workflows ?? there.workflows,
      layouts: layouts ?? there.layouts,
      categories: categories ?? there.categories,
      audiences: audiences ?? there.audiences,
      brand: brand ?? there.brand,
      attention: attention ?? there.attention,
    },
  };
}

/** The first line of the output. */
export function printTested(out: Output, files: TestedFiles | null, { environment }: Session): void {
  if (!files) {
    out.line(out.style("dim", `Testing the workflows of ${environment.name}, not files.`));
    return;
  }
  const { workflows, layouts } = files.local.resources;
  const count = (noun: string, list: readonly unknown[] | undefined) =>
    list ? countOf(list.length, noun) : `the ${noun}s of ${environment.name}`;
  out.line(
    out.style(
      "dim",
      `Testing the files in ${files.root}: ${count("workflow", workflows)}, ${count("layout", layouts)}.`,
    ),
  );
}

/** The same with --json. */
export const describeTested = (files: TestedFiles | null, { environment }: Session) =>
  files ? { files: files.root } : { environment: environment.identifier };
