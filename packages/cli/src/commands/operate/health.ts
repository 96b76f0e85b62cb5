// `tidings health`: one request to the service on this machine, without a key. The image's HEALTHCHECK runs it.
import { numberOption, refuseMoreArguments } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { plainAddress } from "../../logins.ts";
import { countOf } from "../../output.ts";

const defaultSeconds = 5;

export const health: Command = {
  usage: "[--live] [--timeout <seconds>]",
  about:
    "Asks the service whether it can do its work: it is ready when its database responds. With --live, whether its process responds at\n" +
    "all: a process that does not should be restarted, while one that is only not ready recovers when its database does. The service is\n" +
    "the one of TIDINGS_URL, else the one of TIDINGS_HOST and TIDINGS_PORT on this machine. Needs no key. Exits with 0 or 1.",
  example: "tidings health\ntidings health --live",
  options: {
    live: { type: "boolean", about: "Only ask whether the process responds" },
    timeout: { type: "string", value: "seconds", about: `Wait this long for the response (${defaultSeconds})` },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings health --help");
    const seconds = numberOption(call.values, "timeout", { least: 0.1, most: 300, otherwise: defaultSeconds });
    const url = addressOf(call.io.env);
    if (call.values.live) return printLive(call, url, await ask(call, `${url}/health`, seconds));
    printReady(call, url, await ask(call, `${url}/ready`, seconds));
  },
};

const everywhere: Record<string, string> = { "": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The address of the service on this machine, by the settings that it has itself. */
function addressOf({ TIDINGS_URL = "", TIDINGS_HOST = "", TIDINGS_PORT = "" }: Call["io"]["env"]): string {
  if (TIDINGS_URL.trim()) return plainAddress(TIDINGS_URL.trim());
  const given = TIDINGS_HOST.trim();
  const host = everywhere[given] ?? given;
  return `http://${host.includes(":") ? `[${host}]` : host}:${TIDINGS_PORT.trim() || "3000"}`;
}

type Report = { status?: unknown; version?: unknown; problems?: { message?: unknown }[] };
type Reply = { code: number; report: Report };

async function ask({ io }: Call, address: string, seconds: number): Promise<Reply> {
  const timeout = AbortSignal.timeout(seconds * 1_000);
  try {
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.any([io.signal, timeout]) });
    return { code: response.status, report: reportIn(await response.text()) };
  } catch (error) {
    if (timeout.aborted)
      throw new CliError(`The service did not respond at ${address} within ${countOf(seconds, "second")}.`);
    throw new CliError(
      `Nothing responds at ${address} (${reasonOf(error)}): the service is starting, or it has stopped.`,
    );
  }
}

function reportIn(text: string): Report {
  try {
    return Object(JSON.parse(text)) as Report;
  } catch {
    return {};
  }
}

/** What fetch says itself is only that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
}

const isOther = (url: string, { code }: Reply): CliError =>
  new CliError(
    `${url} responds with ${code}, but not as Tidings does: TIDINGS_URL or TIDINGS_PORT names another program.`,
  );

function printLive({ out }: Call, url: string, reply: Reply): void {
  const { status, version } = reply.report;
  if (reply.code !== 200 || status !== "ok") throw isOther(url, reply);
  out.line(`Tidings ${version} at ${url} responds.`);
  out.json({ status, url, version });
}

function printReady({ out }: Call, url: string, reply: Reply): void {
  const { status, problems = [] } = reply.report;
  const told = problems.map(({ message }) => String(message)).join(". ");
  if (status === "unavailable") throw new CliError(`The service at ${url} is not ready: ${told}.`);
  if (reply.code !== 200 || (status !== "ready" && status !== "degraded")) throw isOther(url, reply);
  out.line(status === "ready" ? `The service at ${url} is ready.` : `The service at ${url} is ready, but: ${told}.`);
  out.json({ status, url, problems });
}
