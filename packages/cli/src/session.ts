// Which service and environment a command talks to: --env and the stored logins, else TIDINGS_URL and TIDINGS_API_KEY. Keys are
// stored in a file that only its owner can read, and never printed.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createTidings, type Tidings, TidingsError } from "@tidings/client/source";
import type { Environment } from "@tidings/contract";
import { CliError } from "./failure.ts";
import type { Io } from "./io.ts";

type Login = { url: string; apiKey: string };
export type Logins = { current: string | null; environments: Record<string, Login> };

export type Session = Login & { tidings: Tidings; environment: Environment; isProduction: boolean };

const defaultUrl = "http://localhost:3000";

export const loginsFile = ({ env }: Io): string =>
  env.TIDINGS_CREDENTIALS ??
  join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), ".config"), "tidings", "credentials.json");

export function readLogins(io: Io): Logins {
  const file = loginsFile(io);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return { current: null, environments: {} };
  }
  try {
    const { current = null, environments = {} } = JSON.parse(text) as Partial<Logins>;
    return { current, environments };
  } catch {
    throw new CliError(`${file} is not JSON.`, { fix: "Delete it and log in again: tidings login" });
  }
}

/** Written beside the file and renamed, so that a crash leaves the former one. */
export function writeLogins(io: Io, logins: Logins): void {
  const file = loginsFile(io);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}

export function findLogin(io: Io, wanted: string | undefined): Login {
  const logins = readLogins(io);
  if (wanted !== undefined) {
    const found = logins.environments[wanted];
    if (found) return found;
    const known = Object.keys(logins.environments).join(", ") || "none";
    throw new CliError(`There is no login for the environment "${wanted}". Stored: ${known}.`, {
      fix: "tidings login",
    });
  }
  const { TIDINGS_URL: url, TIDINGS_API_KEY: apiKey } = io.env;
  if (apiKey) return { url: url ?? defaultUrl, apiKey };
  const current = logins.current === null ? undefined : logins.environments[logins.current];
  if (current) return url ? { ...current, url } : current;
  throw new CliError("No environment is chosen.", {
    fix: "Run `tidings login`, or set TIDINGS_API_KEY (and TIDINGS_URL). In a clone, `npm run key` prints the key of Development.",
  });
}

/** Asks the service which environment the key belongs to: that one is listed with its keys. */
export async function openSession(login: Login): Promise<Session> {
  const tidings = createTidings({ baseUrl: login.url, apiKey: login.apiKey, retries: 2 });
  const environments = await tidings.environments.list().catch((error: unknown) => {
    if (error instanceof TidingsError && error.status === 0)
      throw new CliError(`No service answers at ${login.url} (${error.message}).`, {
        fix: "Start it with `npm start`, or name another with TIDINGS_URL.",
      });
    if (error instanceof TidingsError && error.status === 401)
      throw new CliError(`The service at ${login.url} does not accept the key.`, { fix: "tidings login" });
    throw error;
  });
  const environment = environments.find(({ apiKeys }) => apiKeys !== undefined);
  if (!environment) throw new CliError(`The service at ${login.url} did not say which environment the key belongs to.`);
  return { ...login, tidings, environment, isProduction: environment.type === "prod" };
}
