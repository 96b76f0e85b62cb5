// `tidings grant-sql`: roles of the service's own database that may trigger events by SQL, each for one environment. It
// works while the service runs, and while it does not.
import { randomBytes } from "node:crypto";
import { readConfig } from "../config.ts";
import { newId } from "../lib/ids.ts";
import { type Db, inTransaction, openDb } from "../store/db.ts";
import { findEmbeddedAdminUrl } from "../store/embedded/embedded.ts";
import { listIdentifiers } from "../store/installation/installation.ts";
import {
  createLoginRole,
  findEnvironmentsNamed,
  findGrantOf,
  type GrantedRole,
  listGrantedRoles,
} from "../store/installation/sql-roles.ts";
import { findRole, grantRole, revokeRole } from "../store/sources/grants.ts";
import { openInstallation } from "./backup.ts";
import { OperateError, type Operation } from "./words.ts";

/** `isMove`: even if the role was granted another environment. `isNew`: the role is created, with a password. */
export type SqlGrantOptions = Operation & { role: string; environment: string; isMove: boolean; isNew: boolean };

export type SqlGrantResult = {
  role: string;
  environment: string;
  /** The environment that the role triggered events for until now. */
  before: string | null;
  /** The address for a new role, with its password, which is stored nowhere else. */
  url: string | null;
  warnings: string[];
};

const refuse = (text: string): OperateError => new OperateError(`${text} Nothing was changed.`);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const grantSql = ({
  role,
  environment,
  isMove,
  isNew,
  ...operation
}: SqlGrantOptions): Promise<SqlGrantResult> =>
  withInstallation(operation, { asAdmin: isNew }, async (db, { isEmbedded, url }) => {
    const found = await requireEnvironment(db, environment);
    const password = isNew ? randomBytes(24).toString("base64url") : null;
    return inTransaction(db, async (tx) => {
      const before = await findGrantOf(tx, role);
      if (before && before.id !== found.id && !isMove)
        throw refuse(
          `The role ${quoted(role)} triggers events for ${before.identifier} already, and a role has one environment. ` +
            `Add --move to give it ${found.identifier} instead, or use another role.`,
        );
      if (password !== null) await createRole(tx, role, password);
      const known = await findRole(tx, role);
      if (!known) throw refuse(unknownRole(role, isEmbedded));
      await grantRole(tx, { role, environmentId: found.id, sourceId: newId(), now: new Date() });
      return {
        role,
        environment: found.identifier,
        before: before?.identifier ?? null,
        url: password === null ? null : addressOf(url, role, password),
        warnings: warningsOf(role, known),
      };
    });
  });

/** `environment`: refuses a role of another one. Returns the environment that the role had. */
export const revokeSql = ({
  role,
  environment,
  ...operation
}: Operation & { role: string; environment: string | undefined }): Promise<{ role: string; environment: string }> =>
  withInstallation(operation, {}, async (db) => {
    const named = environment === undefined ? undefined : await requireEnvironment(db, environment);
    return inTransaction(db, async (tx) => {
      const granted = await findGrantOf(tx, role);
      if (!granted) throw refuse(`The role ${quoted(role)} was not granted an environment.`);
      if (named && named.id !== granted.id)
        throw refuse(
          `The role ${quoted(role)} triggers events for ${granted.identifier}, not for ${named.identifier}.`,
        );
      await revokeRole(tx, role);
      return { role, environment: granted.identifier };
    });
  });

/** `environment`: of this one alone. */
export const listSqlGrants = ({
  environment,
  ...operation
}: Operation & { environment: string | undefined }): Promise<GrantedRole[]> =>
  withInstallation(operation, {}, async (db) => {
    const named = environment === undefined ? undefined : await requireEnvironment(db, environment);
    return (await listGrantedRoles(db)).filter(({ environmentId }) => !named || environmentId === named.id);
  });

type Place = { isEmbedded: boolean; url: string };

/** `asAdmin`: in the embedded PostgreSQL, as its superuser, since the service's own role cannot create roles there. */
async function withInstallation<T>(
  { env, say }: Operation,
  { asAdmin = false }: { asAdmin?: boolean },
  work: (db: Db, place: Place) => Promise<T>,
): Promise<T> {
  const config = readConfig(env);
  const isEmbedded = !config.databaseUrl;
  const source = await openInstallation(config, say);
  try {
    const admin = isEmbedded && asAdmin ? await findEmbeddedAdminUrl(config.dataDir) : null;
    const db = openDb({ url: admin ?? source.url, poolSize: 1, onError: () => {} });
    return await work(db, { isEmbedded, url: source.url }).finally(() => db.destroy());
  } catch (error) {
    throw explain(error as Error & { code?: string });
  } finally {
    await source.stop();
  }
}

function explain(error: Error & { code?: string }): Error {
  if (error.code === "42P01" || error.code === "3F000")
    return refuse(
      "The database has no installation of Tidings, or one of an earlier version: start the service, or run `tidings migrate`.",
    );
  if (error.code === "42501")
    return refuse(
      `PostgreSQL refused it: ${error.message}. The user of DATABASE_URL has to own the schema tidings: run the command as ` +
        "the user that `tidings migrate` or the service created it with.",
    );
  return error;
}

async function requireEnvironment(db: Db, text: string): Promise<{ id: string; identifier: string }> {
  const found = await findEnvironmentsNamed(db, text);
  if (found.length === 1) return found[0]!;
  const known = (await listIdentifiers(db)).join(", ");
  throw refuse(
    found.length > 1
      ? `Several environments are called "${text}": name it by its identifier or id (${known}).`
      : `There is no environment "${text}": ${known}.`,
  );
}

async function createRole(tx: Db, role: string, password: string): Promise<void> {
  if (await findRole(tx, role))
    throw refuse(`The role ${quoted(role)} exists already: run the command without --create-role.`);
  try {
    await createLoginRole(tx, role, password);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code !== "42501") throw refuse(`PostgreSQL did not create the role: ${message}.`);
    throw refuse(
      "The user of DATABASE_URL may not create roles. Create it as an administrator of the database, and run the command " +
        `without --create-role: create role ${quoted(role)} login password '…';`,
    );
  }
}

const unknownRole = (role: string, isEmbedded: boolean): string =>
  isEmbedded
    ? `The embedded PostgreSQL has no role ${quoted(role)}: add --create-role.`
    : `The database has no role ${quoted(role)}. Create it first, for example: create role ${quoted(role)} login password ` +
      "'…'; or add --create-role.";

type Known = NonNullable<Awaited<ReturnType<typeof findRole>>>;

function warningsOf(role: string, { reads, mayConnect, mayLogIn }: Known): string[] {
  return [
    ...(reads
      ? [
          `${quoted(role)} can read the service's own tables, as a superuser or by other grants: use a role that cannot.`,
        ]
      : []),
    ...(mayConnect ? [] : [`${quoted(role)} may not connect to this database: grant connect on database … to it.`]),
    ...(mayLogIn
      ? []
      : [`${quoted(role)} cannot log in. Roles that are its members trigger events for the environment.`]),
  ];
}

/** The address of the service with another user. */
const addressOf = (url: string, role: string, password: string): string =>
  url.replace(/^(\w+:\/\/)(?:[^/?#]*@)?/, (_, scheme: string) => `${scheme}${encodeURIComponent(role)}:${password}@`);
