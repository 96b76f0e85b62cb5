// How a command ends, and the errors it ends with. Exit codes are stable: scripts depend on them.
export const exitCodes = {
  done: 0,
  /** The service refused, a check or a test failed, a file is wrong. */
  failed: 1,
  /** `plan`: there are changes to apply. */
  changes: 2,
  /** The command was called wrongly: unknown option, missing argument. */
  usage: 64,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error for people: what happened, and with `fix` what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly fix: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, { fix, exitCode = exitCodes.failed }: { fix?: string; exitCode?: ExitCode } = {}) {
    super(message);
    this.fix = fix;
    this.exitCode = exitCode;
  }
}

export const wrongUsage = (message: string, fix?: string): CliError =>
  new CliError(message, { fix, exitCode: exitCodes.usage });
