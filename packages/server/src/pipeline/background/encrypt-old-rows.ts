// Encrypts values that older versions stored in clear text: chat webhook URLs, device tokens, overrides of events.
// Until the last batch is done, all readers of these rows accept both forms.
//
// Responses stored under an idempotency key are not encrypted again: they expire within a day.
import { openValue, type Sealed, sealText, sealValue } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { Db } from "../../store/db.ts";
import type { EventRow } from "../../store/events/events.ts";
import {
  findKeysAfter,
  lockUnencryptedRows,
  noKey,
  type UnencryptedRow,
  type UnencryptedTableName,
  unencryptedTables,
  writeEncryptedRows,
} from "../../store/installation/unencrypted-rows.ts";
import type { RowKey } from "../../store/keys.ts";
import type { StoredMessage } from "../../store/messages/messages.ts";
import type { StoredChannel } from "../../store/tables.ts";
import { openChannel, sealChannel, sealMessage, sealOverrides, sealRecipient } from "../encrypted-parts.ts";
import type { BackgroundMigration } from "./migration.ts";

/** Rows of one batch. */
const pageSize = 500;

const tables = Object.keys(unencryptedTables) as UnencryptedTableName[];

/** The last row of the batch before. */
type Position = RowKey & { table: UnencryptedTableName };

export const encryptOldRows: BackgroundMigration = {
  tables,
  async runBatch({ db, secrets }, key) {
    const { table, ...after } = (key as Position | null) ?? { table: tables[0]!, ...noKey };
    const found = await nextKeys(db, tables.indexOf(table), after);
    if (!found) return { rows: 0, next: null };
    const rows = await lockUnencryptedRows(db, found.name, found.keys);
    await writeEncryptedRows(
      db,
      found.name,
      rows.map((row) => seals[found.name](secrets, row)),
    );
    return { rows: found.keys.length, next: { table: found.name, ...found.keys.at(-1)! } satisfies Position };
  },
};

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
