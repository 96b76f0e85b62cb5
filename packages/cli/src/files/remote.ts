// Files and the service: the plan for a folder, and the service's errors with their file and line.
import { TidingsError } from "@tidings/client/source";
import type { FileResources, FilesPlan, Output } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Session } from "../session.ts";
import { type FileProblem, problemsError } from "./problems.ts";
import type { LocalFiles } from "./read-folder.ts";
import type { FilesState } from "./state.ts";

export type Wanted = { resources: FileResources; prune: boolean; pulled?: Record<string, string> };

/** Drift is known only of the environment that was pulled from or applied to. */
export const wantedOf = (local: LocalFiles, state: FilesState, { environment }: Session, prune: boolean): Wanted => {
  const pulled = state.environments[environment._id];
  return { resources: local.resources, prune, ...(pulled && { pulled }) };
};

type Remote = Pick<Session, "tidings" | "environment">;

export const planRemote = ({ tidings }: Remote, wanted: Wanted, local?: LocalFiles): Promise<FilesPlan> =>
  told(() => tidings.files.plan({ body: wanted }), local);

export const applyRemote = (
  { tidings, environment }: Remote,
  wanted: Wanted & { expectedFingerprint: string; allowIssues?: boolean },
  local?: LocalFiles,
): Promise<Output<"files.apply">> =>
  told(() => tidings.files.apply({ body: wanted }), local).catch((error: unknown) => {
    if (error instanceof TidingsError && error.code === "FILES_CHANGED")
      throw new CliError(`${environment.name} has changed since the plan was created. Nothing was applied.`, {
        fix: "Run `tidings plan` again.",
      });
    throw error;
  });

/** Errors of the service that are about the files are reported with their places. */
export async function told<T>(request: () => Promise<T>, local: LocalFiles | undefined): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const problems = local && error instanceof TidingsError ? problemsOf(error, local) : [];
    throw problems.length > 0 ? problemsError(problems) : error;
  }
}

function problemsOf({ body }: TidingsError, { locate }: LocalFiles): FileProblem[] {
  const { errors, issues } = (body ?? {}) as {
    errors?: Record<string, { messages?: string[] }>;
    issues?: FilesPlan["issues"];
  };
  if (Array.isArray(issues)) return issues.map(({ field, message }) => ({ ...locate(field), message }));
  if (typeof errors !== "object" || errors === null) return [];
  return Object.entries(errors).flatMap(([field, { messages = [] }]) => {
    // Files of a backtest are a part of its change.
    const path = field.replace(/^change\.files\./, "resources.");
    return messages.map((message) => ({
      ...locate(path),
      message: message.replace(/^(?:resources|change\.files)\.(?:\w+\.\d+|brand|attention)\.?/, ""),
    }));
  });
}
