// The database of the settings: an external one, or the embedded PostgreSQL. Imports little, so that the embedded
// server starts while the rest of the service is still being loaded.
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { startEmbedded } from "./store/embedded/embedded.ts";
import { waitForDatabase } from "./store/wait-for-database.ts";

export type OpenDatabase = { url: string; name: string; stop(): Promise<void> };

/** `onLaunched`: no other step of the start needs this process until the database responds. */
export async function openDatabase(config: Config, log: Logger, onLaunched?: () => void): Promise<OpenDatabase> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl) {
    const { host, pathname } = new URL(databaseUrl);
    const name = `PostgreSQL at ${host}${pathname}`;
    await waitForDatabase({
      url: databaseUrl,
      limitMs: config.databaseWaitSeconds * 1_000,
      onWait: (reason) => log.warn({ reason }, `waiting for ${name}`),
    });
    return { url: databaseUrl, name, stop: async () => {} };
  }
  const embedded = await startEmbedded({ dataDir, progress: (message) => log.info(message), onLaunched });
  return { url: embedded.url, name: `embedded PostgreSQL ${embedded.version} in ${dataDir}`, stop: embedded.stop };
}
