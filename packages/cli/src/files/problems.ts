// Errors of files, each with its place.
import type { FileProblem } from "@tidings/server/folder";
import { CliError } from "../failure.ts";

export type { FileProblem };

export const describeProblem = ({ file, line, column, message }: FileProblem): string =>
  `${file}:${line}:${column}  ${message}`;

const maxShown = 100;

export function problemsError(problems: FileProblem[], fix?: string): CliError {
  const shown = problems.slice(0, maxShown).map((problem) => `  ${describeProblem(problem)}`);
  if (problems.length > maxShown) shown.push(`  … and ${problems.length - maxShown} more`);
  const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
  return new CliError([`${count} in the files:`, ...shown].join("\n"), { fix });
}
