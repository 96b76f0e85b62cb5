// `tidings key` and `tidings sign-in`: the way in for the operator of the machine, who has the settings of the service.
// The service may have no dashboard, or its last owner may have lost the password.
import { urlForPeople } from "../address.ts";
import { developmentKey, environmentKey } from "../app/environments/installation.ts";
import { makeOwnerLink } from "../app/members/links.ts";
import { type Config, readConfig } from "../config.ts";
import { ensureEncryptionKey } from "../encryption-key.ts";
import { newId } from "../lib/ids.ts";
import { createSecrets } from "../lib/secrets.ts";
import { type Db, openDb } from "../store/db.ts";
import { findEmbeddedUrl } from "../store/embedded/embedded.ts";
import { OperateError, type Operation } from "./words.ts";

/** The API key of an environment: of Development where none is named. */
export function showKey(env: Operation["env"], identifier?: string): Promise<string> {
  const config = readConfig(env);
  return withDatabase(config, async (db) => {
    const { encryptionKeys } = ensureEncryptionKey(config, { isSetUp: true });
    const tools = { db, secrets: createSecrets(encryptionKeys) };
    if (identifier === undefined) {
      const key = await developmentKey(tools);
      if (key === null) throw new OperateError("The Development environment no longer has an API key.");
      return key;
    }
    const found = await environmentKey(tools, identifier);
    if (found.kind === "found") return found.key;
    throw new OperateError(`There is no environment "${identifier}" with an API key: ${found.known.join(", ")}.`);
  });
}

/** A link that signs a member in as owner, once, within 24 hours. Earlier ones stop working. */
export function createSignInLink(env: Operation["env"]): Promise<string> {
  const config = readConfig(env);
  if (!config.dashboard) throw new OperateError("TIDINGS_DASHBOARD is off: people cannot sign in.");
  return withDatabase(config, (db) =>
    makeOwnerLink({ db, config, newId, now: () => new Date() }, urlForPeople(config)),
  );
}

/** The database of a service that runs. */
async function withDatabase<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const url = config.databaseUrl || (await findEmbeddedUrl(config.dataDir));
  if (!url) throw new OperateError(`No service runs in ${config.dataDir}: start it first.`);
  const db = openDb({ url, directUrl: config.directDatabaseUrl, poolSize: 1, onError: () => {} });
  return work(db).finally(() => db.destroy());
}
