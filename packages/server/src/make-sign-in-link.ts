// `npm run sign-in`: prints a link that signs a member in as owner, once, within 24 hours: for a lost first link or a
// lost password. Only the owner of the machine can run it, with the settings of the service.
import { urlForPeople } from "./address.ts";
import { makeOwnerLink } from "./app/members/links.ts";
import { ConfigError, readConfig } from "./config.ts";
import { newId } from "./lib/ids.ts";
import { openDb } from "./store/db.ts";
import { findEmbeddedUrl } from "./store/embedded/embedded.ts";

async function makeSignInLink(): Promise<string> {
  const config = readConfig();
  if (!config.dashboard) throw new ConfigError("TIDINGS_DASHBOARD is off: people cannot sign in.");
  const url = config.databaseUrl || (await findEmbeddedUrl(config.dataDir));
  if (!url) throw new ConfigError(`No service runs in ${config.dataDir}: start it with npm start.`);
  const db = openDb({ url, directUrl: config.directDatabaseUrl, poolSize: 1, onError: () => {} });
  const tools = { db, config, newId, now: () => new Date() };
  return makeOwnerLink(tools, urlForPeople(config)).finally(() => db.destroy());
}

try {
  process.stdout.write(`${await makeSignInLink()}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
