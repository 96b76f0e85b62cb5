// Which service and environment a command talks to: --env and the stored logins, else TIDINGS_URL and TIDINGS_API_KEY.
// Keys are never printed.
import { createTidings, type Tidings, TidingsError } from "@tidings/client/source";
import type { Environment } from "@tidings/contract";
import { CliError } from "./failure.ts";
import type { Io } from "./io.ts";
import { chooseLogin, type Login, plainAddress, readLogins } from "./logins.ts";

export type Session = Login & { tidings: Tidings; environment: Environment; isProduction: boolean };

export const defaultUrl = "http://localhost:3000";

export function findLogin(io: Io, wanted: string | undefined): Login {
  const { TIDINGS_URL: url, TIDINGS_API_KEY: apiKey } = io.env;
  const logins = readLogins(io);
  if (wanted !== undefined) return chooseLogin(logins, wanted, url);
  if (apiKey) return { url: url || defaultUrl, apiKey };
  const { current, all } = logins;
  if (!url && current) return current;
  if (url) {
    const there = all.filter((one) => one.url === plainAddress(url));
    const chosen = there.find((one) => one === current) ?? (there.length === 1 ? there[0] : undefined);
    if (chosen) return chosen;
    throw new CliError(
      `TIDINGS_URL is ${url}, and ${there.length > 1 ? "several keys are" : "no key is"} stored for it.`,
      {
        fix: `${there.length > 1 ? "Choose with --env <name>" : `tidings login --url ${url}`}, or set TIDINGS_API_KEY. A stored key is sent only to the address it was stored with.`,
      },
    );
  }
  throw new CliError("No environment is chosen.", {
    fix: "Run `tidings login`, or set TIDINGS_API_KEY (and TIDINGS_URL). In a clone, `npm run key` prints the key of Development.",
  });
}

/** Asks the service which environment the key belongs to. An older service lists that one with its keys. */
export async function openSession(login: Login, fetch?: typeof globalThis.fetch): Promise<Session> {
  const tidings = createTidings({ baseUrl: login.url, apiKey: login.apiKey, retries: 2, ...(fetch && { fetch }) });
  const environments = await tidings.environments.list().catch((error: unknown) => {
    if (error instanceof TidingsError && error.status === 0)
      throw new CliError(`Cannot reach the service at ${login.url} (${error.message}).`, {
        fix: "Start it with `npm start`, or name another with TIDINGS_URL.",
      });
    if (error instanceof TidingsError && error.status === 401)
      throw new CliError(`The service at ${login.url} does not accept the key.`, { fix: "tidings login" });
    throw error;
  });
  const environment = environments.find(({ isCurrent, apiKeys }) => isCurrent || apiKeys !== undefined);
  if (!environment) throw new CliError(`The service at ${login.url} did not say which environment the key belongs to.`);
  return { ...login, tidings, environment, isProduction: environment.type === "prod" };
}
