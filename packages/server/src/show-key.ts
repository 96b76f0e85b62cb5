// `npm run key`: prints the API key of the Development environment, which the banner shows on the first start only;
// `npm run key -- production` that of another environment. Reads it from the database of a running service, with the
// same settings and encryption key.
import { developmentKey, environmentKey } from "./app/environments/installation.ts";
import { ConfigError, readConfig } from "./config.ts";
import { ensureEncryptionKey } from "./encryption-key.ts";
import { createSecrets } from "./lib/secrets.ts";
import { openDb } from "./store/db.ts";
import { findEmbeddedUrl } from "./store/embedded/embedded.ts";

const usage = "Usage: npm run key [-- <environment>], such as npm run key -- production";

type Tools = Parameters<typeof developmentKey>[0];

async function showKey(args: string[]): Promise<string> {
  const [identifier, ...more] = args;
  if (more.length > 0 || identifier?.startsWith("-")) throw new ConfigError(usage);
  const given = readConfig();
  const url = given.databaseUrl || (await findEmbeddedUrl(given.dataDir));
  if (!url) throw new ConfigError(`No service runs in ${given.dataDir}: start it with npm start.`);
  const { encryptionKeys } = ensureEncryptionKey(given, { isSetUp: true });
  const db = openDb({ url, directUrl: given.directDatabaseUrl, poolSize: 1, onError: () => {} });
  return findKey({ db, secrets: createSecrets(encryptionKeys) }, identifier).finally(() => db.destroy());
}

async function findKey(tools: Tools, identifier: string | undefined): Promise<string> {
  if (identifier === undefined) {
    const key = await developmentKey(tools);
    if (key === null) throw new ConfigError("The Development environment no longer has an API key.");
    return key;
  }
  const found = await environmentKey(tools, identifier);
  if (found.kind === "found") return found.key;
  throw new ConfigError(
    `There is no environment "${identifier}" with an API key: ${found.known.join(", ")}.\n${usage}`,
  );
}

try {
  process.stdout.write(`${await showKey(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
