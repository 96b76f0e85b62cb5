// Structured logs through pino: one JSON object a line, or short lines for people. Secrets never reach a log: requests
// are logged by operation and status, never with headers or bodies, and the usual members are redacted all the same.
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

export function createLogger(config: Config, output: NodeJS.WritableStream & { isTTY?: boolean }): Logger {
  const format = config.log.format || (output.isTTY ? "text" : "json");
  const options = { level: config.log.level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, format === "json" ? output : asText(output));
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
