// `tidings upgrade-database`: copies the embedded database into one of the PostgreSQL that is installed now. The old
// database is only read; it is moved aside when the new one is complete, and stays. Two renames are all that a kill can
// interrupt: the next call finishes them, and a service that starts in between is refused (store/embedded/folder.ts).
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { isInstallation } from "../store/backup/catalogue.ts";
import { openSnapshot } from "../store/backup/snapshot.ts";
import { startEmbedded, stopLeftServer } from "../store/embedded/embedded.ts";
import { findClusterMajor, readFolder, syncFolder, upgradeFolder } from "../store/embedded/folder.ts";
import { framesOf, headerOf, inSession } from "./backup.ts";
import { readFrames } from "./format.ts";
import { loadFrames } from "./load.ts";
import { findInstalledMajor, installPrograms, type OldPrograms, programsIn } from "./old-programs.ts";
import { OperateError, type Operation } from "./words.ts";

/** `oldBinaries`: the folder of the PostgreSQL that the database belongs to; by default it is fetched. */
export type UpgradeOptions = Operation & { oldBinaries: string | undefined };

/** `kept`: the folder of the old database; null when there was nothing to do. */
export type UpgradeResult = { dataDir: string; from: number; to: number; kept: string | null; rows: number };

export async function upgradeDatabase({ oldBinaries, ...operation }: UpgradeOptions): Promise<UpgradeResult> {
  const config = readConfig(operation.env);
  if (config.databaseUrl)
    throw new OperateError(
      "DATABASE_URL names your own PostgreSQL, which you upgrade with its own tools. This command is for the embedded one.",
    );
  const { dataDir } = config;
  const to = await findInstalledMajor();
  const finished = await finishSwap(dataDir);
  if (finished) return { ...finished, to };
  const from = await findClusterMajor(dataDir);
  if (from === null)
    throw new OperateError(
      `There is no database in ${dataDir}. Run the command in the folder of the service, or with its TIDINGS_DATA_DIR.`,
    );
  if (from === to) return { dataDir, from, to, kept: null, rows: 0 };
  if (from > to)
    throw new OperateError(
      `The database in ${dataDir} belongs to PostgreSQL ${from}, and this version of Tidings has PostgreSQL ${to}. Start a later version.`,
    );
  const old = oldBinaries
    ? { programs: await programsIn(oldBinaries, from), remove: async () => {} }
    : await installPrograms(from, operation);
  try {
    const rows = await copyDatabase(dataDir, { major: from, ...old }, operation);
    return { dataDir, from, to, kept: await swap(dataDir, from), rows };
  } finally {
    await old.remove();
  }
}

/** The new database in its own data folder, with the password of the old one. Both servers are stopped in the end. */
async function copyDatabase(dataDir: string, old: OldPrograms & { major: number }, operation: Operation) {
  const { say } = operation;
  const work = join(dataDir, upgradeFolder);
  const clear = () => rm(work, { recursive: true, force: true, maxRetries: 5 });
  await stopLeftServer(work);
  await clear();
  say(`Starting PostgreSQL ${old.major} …`);
  const source = await startEmbedded({ dataDir, release: old, progress: say });
  try {
    const { password } = (await readFolder(dataDir))!;
    const target = await startEmbedded({ dataDir: work, password, progress: say });
    return await copyRows(source.url, target.url, operation).finally(() => target.stop());
  } catch (error) {
    await clear();
    throw error;
  } finally {
    await source.stop();
  }
}

const copyRows = (from: string, to: string, { say, signal }: Operation): Promise<number> =>
  inSession({ url: from, name: "tidings upgrade", signal }, async (source) => {
    if (!(await isInstallation(source))) throw new OperateError("The database has no installation of Tidings.");
    const header = headerOf(await openSnapshot(source));
    return inSession({ url: to, name: "tidings upgrade", signal }, async (target) => {
      // Both ends would say the same.
      const frames = readFrames(
        framesOf(source, header, () => {}),
        "The old database",
      );
      return (await loadFrames(target, frames, { due: "send", say })).rows;
    });
  });

/** A free name for the old database. */
async function placeFor(dataDir: string, major: number): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `postgres-${major}` : `postgres-${major}-${number}`;
    if ((await findClusterMajor(dataDir, name)) === null) return join(dataDir, name);
  }
}

async function swap(dataDir: string, from: number): Promise<string> {
  const kept = await placeFor(dataDir, from);
  await rename(join(dataDir, "postgres"), kept);
  await syncFolder(dataDir);
  await placeNew(dataDir);
  return kept;
}

async function placeNew(dataDir: string): Promise<void> {
  const work = join(dataDir, upgradeFolder);
  await rename(join(work, "postgres"), join(dataDir, "postgres"));
  await syncFolder(dataDir);
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
}

/** A call that was killed between the two renames: the new database was complete before the first of them. */
async function finishSwap(dataDir: string): Promise<Omit<UpgradeResult, "to"> | null> {
  const isMissing = (await findClusterMajor(dataDir)) === null;
  const to = await findClusterMajor(join(dataDir, upgradeFolder));
  if (!isMissing || to === null) return null;
  await placeNew(dataDir);
  for (let from = to - 1; from > 0; from--) {
    if ((await findClusterMajor(dataDir, `postgres-${from}`)) !== null)
      return { dataDir, from, kept: join(dataDir, `postgres-${from}`), rows: 0 };
  }
  return { dataDir, from: to, kept: null, rows: 0 };
}
