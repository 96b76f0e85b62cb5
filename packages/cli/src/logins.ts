// The stored logins: a key for each environment at each address, in a file that only its owner can read. A key is sent
// to the address that it was stored with, and to no other.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isJsonObject } from "@tidings/contract";
import { CliError } from "./failure.ts";
import type { Io } from "./io.ts";

export type Login = { url: string; apiKey: string };
/** `environment`: its identifier. */
export type StoredLogin = Login & { environment: string };
export type Logins = { current: StoredLogin | null; all: StoredLogin[] };

export const loginsFile = ({ env }: Io): string =>
  env.TIDINGS_CREDENTIALS ??
  join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), ".config"), "tidings", "credentials.json");

type LoginsFile = { current?: { environment: string; url: string } | null; logins?: StoredLogin[] };
/** Before, an identifier had one login, whatever its address. */
type FormerFile = { current?: string | null; environments: Record<string, Login> };

export function readLogins(io: Io): Logins {
  const file = loginsFile(io);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return { current: null, all: [] };
  }
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    throw new CliError(`${file} is not JSON.`, { fix: "Delete it and log in again: tidings login" });
  }
  const object = isJsonObject(stored) ? stored : {};
  if (isJsonObject(object.environments)) return fromFormer(object as FormerFile);
  const { current, logins = [] } = object as LoginsFile;
  const found = current ? logins.find((one) => isSame(one, current)) : undefined;
  return { current: found ?? null, all: logins };
}

function fromFormer({ current, environments }: FormerFile): Logins {
  const all = Object.entries(environments).map(([environment, login]) => ({ ...login, environment }));
  return { current: all.find(({ environment }) => environment === current) ?? null, all };
}

/** Writes a temporary file and renames it, so that a crash keeps the previous one. */
export function writeLogins(io: Io, { current, all }: Logins): void {
  const file = loginsFile(io);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.new`;
  const value: LoginsFile = {
    current: current && { environment: current.environment, url: current.url },
    logins: all,
  };
  writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}

type Named = Pick<StoredLogin, "environment" | "url">;
export const isSame = (a: Named, b: Named): boolean => a.environment === b.environment && a.url === b.url;

/** `production`, or `production@https://…` where several addresses have one of this name. */
export function nameOf(login: Named, all: readonly Named[]): string {
  const isShared = all.some((other) => other.environment === login.environment && other.url !== login.url);
  return isShared ? `${login.environment}@${login.url}` : login.environment;
}

/** Without the slashes at the end. */
export const plainAddress = (url: string): string => url.replace(/(?<!\/)\/+$/, "");

/** The stored login of this name; `url` decides where several addresses have one. */
export function chooseLogin({ all, current }: Logins, wanted: string, url: string | undefined): StoredLogin {
  const [environment, address] = splitName(wanted);
  const found = all.filter(
    (one) => one.environment === environment && (address === undefined || one.url === plainAddress(address)),
  );
  const preferred = url ? plainAddress(url) : current?.url;
  const chosen = found.length > 1 ? found.find((one) => one.url === preferred) : found[0];
  if (chosen) return chosen;
  const known = all.map((one) => nameOf(one, all)).join(", ") || "none";
  if (found.length > 1)
    throw new CliError(`There are several logins for the environment "${environment}".`, {
      fix: `Name one of them: ${found.map((one) => nameOf(one, all)).join(", ")}`,
    });
  throw new CliError(`There is no login for the environment "${wanted}". Stored: ${known}.`, { fix: "tidings login" });
}

function splitName(wanted: string): [environment: string, url?: string] {
  const at = wanted.indexOf("@");
  return at === -1 ? [wanted] : [wanted.slice(0, at), wanted.slice(at + 1)];
}
