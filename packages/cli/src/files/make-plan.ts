// The plan of a folder for the environment in use. Errors that can be found here are reported before any request is
// sent.
import type { FilesPlan } from "@tidings/contract";
import type { Call } from "../command.ts";
import type { Session } from "../session.ts";
import { problemsError } from "./problems.ts";
import { folderOf } from "./project.ts";
import { type LocalFiles, openProject, readFolder } from "./read-folder.ts";
import { planRemote, type Wanted, wantedOf } from "./remote.ts";
import { readState } from "./state.ts";

type MadePlan = { local: LocalFiles; session: Session; wanted: Wanted; plan: FilesPlan };

/** The files of the folder; throws where one of them has an error. */
export function readSound(call: Pick<Call, "io" | "values">): LocalFiles {
  const local = readFolder(openProject(folderOf(call)));
  if (local.problems.length > 0) throw problemsError(local.problems, "`tidings validate` checks without a service.");
  return local;
}

export async function makePlan(call: Pick<Call, "io" | "values" | "session">): Promise<MadePlan> {
  const local = readSound(call);
  const session = await call.session();
  const wanted = wantedOf(local, readState(local.folder), session, call.values.prune === true);
  return { local, session, wanted, plan: await planRemote(session, wanted, local) };
}
