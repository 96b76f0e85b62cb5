// Faults of files, each with the place where it stands.
import { CliError } from "../failure.ts";

export type FileProblem = { file: string; line: number; column: number; message: string };

export const describeProblem = ({ file, line, column, message }: FileProblem): string =>
  `${file}:${line}:${column}  ${message}`;

const mostShown = 100;

export function problemsError(problems: FileProblem[], fix?: string): CliError {
  const shown = problems.slice(0, mostShown).map((problem) => `  ${describeProblem(problem)}`);
  if (problems.length > mostShown) shown.push(`  … and ${problems.length - mostShown} more`);
  const count = problems.length === 1 ? "One fault" : `${problems.length} faults`;
  return new CliError([`${count} in the files:`, ...shown].join("\n"), { fix });
}
