// Structured logs with pino: one JSON object per line, or short lines for people. Requests are logged by operation and
// status, without headers and bodies, so that no secret gets into a log; members with usual names of secrets are
// redacted as well.
import { Writable } from "node:stream";
import { type Logger, pino } from "pino";
import type { Config } from "./config.ts";

const redact = {
  paths: [
    "apiKey",
    "authorization",
    "password",
    "token",
    "secret",
    "credentials",
    "*.apiKey",
    "*.authorization",
    "*.password",
    "*.token",
    "*.secret",
    "*.credentials",
  ],
  censor: "********",
};

const optionsOf = ({ log }: Config) => ({
  level: log.level,
  redact,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
});

type Output = NodeJS.WritableStream & { isTTY?: boolean };

/** Whether a line of the log is a JSON object: then every line is one, so that programs can read them all. */
export const isJsonLog = ({ log }: Config, output: Output): boolean =>
  (log.format || (output.isTTY ? "text" : "json")) === "json";

export const createLogger = (config: Config, output: Output): Logger =>
  pino(optionsOf(config), isJsonLog(config, output) ? output : asText(output));

/**
 * The logger of a thread that has no output: `write` hands its lines to the thread that has, for `logLine`.
 */
export const createRemoteLogger = (config: Config, write: (line: string) => void): Logger =>
  pino(optionsOf(config), { write });

export function logLine(log: Logger, line: string): void {
  const { level, msg, time: _, ...fields } = JSON.parse(line) as { level: number; msg?: string; time: string };
  log[pino.levels.labels[level] as pino.Level](fields, msg);
}

const levels: Record<number, string> = { 10: "trace", 20: "debug", 30: "info", 40: "WARN", 50: "ERROR", 60: "FATAL" };

/** `12:30:01 ERROR request failed  operation=… err=…` */
function asText(output: NodeJS.WritableStream): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { time, level, msg, err, ...rest } = JSON.parse(chunk.toString()) as {
        time: string;
        level: number;
        msg?: string;
        err?: { stack?: string; message?: string };
      };
      const fields = Object.entries(rest).map(
        ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      const line = [time.slice(11, 19), (levels[level] ?? "").padEnd(5), msg ?? "", ...fields].join(" ");
      output.write(`${line}${err ? `\n${err.stack ?? err.message}` : ""}\n`);
      done();
    },
  });
}
