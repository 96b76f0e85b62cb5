// Encrypts values that older versions stored in clear text: chat webhook URLs, device tokens, overrides of events. Each
// page is a transaction that also stores its position, so an interrupted run continues from there. Until the last page
// is done, all readers of these rows accept both forms.
//
// Responses stored under an idempotency key are not encrypted again: they expire within a day.
import type { Ctx } from "../context.ts";
import { openValue, type Sealed, sealText, sealValue } from "../lib/sealed.ts";
import type { Secrets } from "../lib/secrets.ts";
import { type Db, inRepeatableTransaction } from "../store/db.ts";
import type { EventRow } from "../store/events/events.ts";
import { lockInstallation, readInstallationValue, writeInstallationValue } from "../store/installation/installation.ts";
import {
  findKeysAfter,
  lockUnencryptedRows,
  noKey,
  type UnencryptedRow,
  type UnencryptedTableName,
  unencryptedTables,
  writeEncryptedRows,
} from "../store/installation/unencrypted-rows.ts";
import type { RowKey } from "../store/keys.ts";
import type { StoredMessage } from "../store/messages/messages.ts";
import type { StoredChannel } from "../store/tables.ts";
import { openChannel, sealChannel, sealMessage, sealOverrides, sealRecipient } from "./encrypted-parts.ts";

const marker = "sealed_rows";
const done = "done";

/** Rows of one transaction. */
const pageSize = 500;

type Tools = Pick<Ctx, "db" | "secrets">;

/** Goes over `pages` pages at the most; returns whether there are more. Several processes take turns. */
export async function encryptOldRows({ db, secrets }: Tools, pages: number): Promise<boolean> {
  if ((await readInstallationValue(db, marker)) === done) return false;
  for (let page = 0; page < pages; page++) {
    if (!(await inRepeatableTransaction(db, (tx) => encryptPage({ db: tx, secrets })))) return false;
  }
  return true;
}

const tables = Object.keys(unencryptedTables) as UnencryptedTableName[];

/** Returns whether there is more. */
async function encryptPage({ db, secrets }: Tools): Promise<boolean> {
  await lockInstallation(db);
  const noted = (await readInstallationValue(db, marker)) ?? `${tables[0]}`;
  if (noted === done) return false;
  // A position without an environment was noted by an older version, which read in another order: its table begins
  // anew.
  const [table, environment_id, id] = noted.split(" ");
  const after = environment_id !== undefined && id !== undefined ? { environment_id, id } : noKey;
  const found = await nextKeys(db, tables.indexOf(table as UnencryptedTableName), after);
  if (found) {
    const rows = await lockUnencryptedRows(db, found.name, found.keys);
    await writeEncryptedRows(
      db,
      found.name,
      rows.map((row) => seals[found.name](secrets, row)),
    );
  }
  const last = found?.keys.at(-1);
  await writeInstallationValue(db, marker, last ? `${found!.name} ${last.environment_id} ${last.id}` : done);
  return found !== null;
}

/** The next page of this table, or the first of the next one that has rows. */
async function nextKeys(
  db: Db,
  from: number,
  after: RowKey,
): Promise<{ name: UnencryptedTableName; keys: RowKey[] } | null> {
  for (const [offset, name] of tables.slice(from).entries()) {
    const keys = await findKeysAfter(db, name, offset === 0 ? after : noKey, pageSize);
    if (keys.length > 0) return { name, keys };
  }
  return null;
}

/** How the rows of each table are encrypted; encrypted values stay unchanged. */
const seals: Record<UnencryptedTableName, (secrets: Secrets, row: UnencryptedRow) => UnencryptedRow> = {
  subscribers: (secrets, row) => ({
    ...row,
    channels: (row.channels as StoredChannel[]).map((entry) => sealChannel(secrets, openChannel(secrets, entry))),
  }),
  channel_endpoints: (secrets, row) => ({ ...row, endpoint: sealValue(secrets, row.endpoint as object) }),
  events: (secrets, row) => {
    const { overrides, recipients, actor } = row as unknown as EventRow;
    return {
      ...row,
      overrides: sealOverrides(secrets, overrides),
      recipients: recipients.map((recipient) => sealRecipient(secrets, recipient)),
      actor: actor && sealRecipient(secrets, actor),
    };
  },
  messages: (secrets, row) => sealMessage(secrets, row as UnencryptedRow & StoredMessage),
  captured_messages: (secrets, row) => {
    const content = row.content as { to: Sealed<string[]> };
    return { ...row, content: { ...content, to: sealValue(secrets, openValue(secrets, content.to)) } };
  },
  webhook_events: (secrets, row) => ({ ...row, body: sealText(secrets, row.body as string) }),
};
