// The source of a backup: one transaction that sees the database at one moment, while the service continues.
import { schema as queueSchema } from "../queue/boss.ts";
import {
  type AppliedMigration,
  type BackupSequence,
  type BackupTable,
  findQueueVersion,
  listMigrations,
  listSequences,
  listTables,
  quoteColumns,
  quoteName,
} from "./catalogue.ts";
import { copyOut } from "./copy-stream.ts";
import { countOpenWork, type OpenWork } from "./open-work.ts";
import { type BackupSession, findRows } from "./session.ts";

export type Snapshot = {
  /** By the clock of the database. */
  at: Date;
  postgres: string;
  queue: number;
  migrations: AppliedMigration[];
  tables: BackupTable[];
  sequences: BackupSequence[];
  /** What waited at this moment. */
  open: OpenWork[];
  /** What the encryption key is checked with. */
  probe: string | null;
};

const maxTries = 3;
/** A partition was dropped between the list and its lock. */
const undefinedTable = "42P01";

/**
 * Begins the transaction and locks every table against being dropped or changed, as pg_dump does. Readers and writers
 * are not held up.
 */
export async function openSnapshot(client: BackupSession): Promise<Snapshot> {
  for (let tries = 1; ; tries++) {
    await client.query("begin transaction isolation level repeatable read, read only");
    try {
      return await describe(client);
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if ((error as { code?: string }).code !== undefinedTable || tries === maxTries) throw error;
    }
  }
}

async function describe(client: BackupSession): Promise<Snapshot> {
  const tables = await listTables(client);
  const names = tables.map(({ name }) => quoteName(name)).join(", ");
  await client.query(`lock table ${names} in access share mode`);
  const [facts] = await findRows<{ at: Date; postgres: string; probe: string | null }>(
    client,
    `select now() as at, current_setting('server_version') as postgres,
       (select value from installation where name = 'encryption_probe') as probe`,
  );
  return {
    ...facts!,
    tables,
    queue: await findQueueVersion(client),
    migrations: await listMigrations(client),
    sequences: await listSequences(client),
    open: await countOpenWork(client, `${queueSchema}.job`),
  };
}

export const copyTableOut = (client: BackupSession, { name, columns }: BackupTable): AsyncGenerator<Buffer, number> =>
  copyOut(client, `copy ${quoteName(name)} (${quoteColumns(columns)}) to stdout`);

export async function closeSnapshot(client: BackupSession): Promise<void> {
  await client.query("commit");
}
