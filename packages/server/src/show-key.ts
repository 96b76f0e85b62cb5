// `npm run key`: prints the API key of the Development environment, which the banner shows on the first start only. Reads it
// from the database of a running service, with the same settings and encryption key.
import { developmentKey } from "./app/environments/installation.ts";
import { ConfigError, readConfig } from "./config.ts";
import { ensureEncryptionKey } from "./encryption-key.ts";
import { createSecrets } from "./lib/secrets.ts";
import { openDb } from "./store/db.ts";
import { findEmbeddedUrl } from "./store/embedded/embedded.ts";

async function showKey(): Promise<string> {
  const given = readConfig();
  const url = given.databaseUrl || (await findEmbeddedUrl(given.dataDir));
  if (!url) throw new ConfigError(`No service runs in ${given.dataDir}: start it with npm start.`);
  const { encryptionKeys } = ensureEncryptionKey(given, { isSetUp: true });
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  const key = await developmentKey({ db, secrets: createSecrets(encryptionKeys) }).finally(() => db.destroy());
  if (key === null) throw new ConfigError("The Development environment has no API key any more.");
  return key;
}

try {
  process.stdout.write(`${await showKey()}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
