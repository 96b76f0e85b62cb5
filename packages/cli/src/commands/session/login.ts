// `tidings login`: checks a key with the service and stores it for its environment at this address.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError } from "../../failure.ts";
import { type Io, readInput } from "../../io.ts";
import { isSame, loginsFile, nameOf, plainAddress, readLogins, writeLogins } from "../../logins.ts";
import { defaultUrl, openSession } from "../../session.ts";

export const login: Command = {
  usage: "[--url <address>]",
  about:
    "Asks for an environment's secret key, or reads it from standard input, so that it does not end up in the shell history. The key is\n" +
    "stored in a file that only you can read. Later commands use this environment until `tidings use` selects another.",
  example: "npm run --silent key | tidings login --url http://localhost:3000",
  options: {
    url: { type: "string", value: "address", about: `Where the service is (default: ${defaultUrl})` },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings login --help");
    const { io, out, values } = call;
    const url = checkUrl((values.url as string | undefined) ?? (io.env.TIDINGS_URL || defaultUrl));
    const apiKey = (io.stdin.isTTY ? await askForKey(io) : ((await readInput(io)) ?? "")).trim();
    if (apiKey === "") throw new CliError("No key was given.", { fix: "npm run --silent key | tidings login" });
    const { environment } = await openSession({ url, apiKey });
    const current = { environment: environment.identifier, url, apiKey };
    const all = [...readLogins(io).all.filter((one) => !isSame(one, current)), current];
    writeLogins(io, { current, all });
    out.line(`Logged in to ${environment.name} at ${url}. The key is in ${loginsFile(io)}.`);
    out.line(`Other commands reach it as --env ${nameOf(current, all)}.`);
    out.json({ environment: environment.identifier, name: environment.name, url });
  },
};

function checkUrl(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new CliError(`--url: "${given}" is not an http or https URL.`, { fix: `For example: --url ${defaultUrl}` });
  return plainAddress(given);
}

/** The key is not shown while it is typed. */
async function askForKey(io: Io): Promise<string> {
  io.stderr.write("Secret key of the environment (`npm run key` in a clone, or the dashboard): ");
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const asked = createInterface({ input: io.stdin, output: silent, terminal: true });
  try {
    return await asked.question("", { signal: io.signal });
  } finally {
    asked.close();
    io.stderr.write("\n");
  }
}
