// What a backup and a restore refuse, each with a sentence that says what to do, and without a change.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { readHeader, verifyFile, writeToFile } from "../../src/operate/backup-file.ts";
import { type BackupHeader, writeFrames } from "../../src/operate/format.ts";
import { backup, restore } from "../../src/operate/index.ts";
import { startEmbedded } from "../../src/store/embedded/embedded.ts";
import { encryptionKey, newDatabase, newFolder, operation, settingsFor, startOn, withDb } from "./support.ts";

const folder = newFolder();
const source = await newDatabase();
const service = await startOn(source);
await trigger(service.client, "welcome", "ada");
const file = join(folder, "whole.backup");
await backup({ to: file, withKey: false, ...operation(settingsFor(source)) });
const empty = await newDatabase({ isEmpty: true });

const countTables = (url: string) =>
  withDb(url, async (db) => {
    const { rows } = await sql`select 1 from pg_tables where schemaname in ('public', 'queue')`.execute(db);
    return rows.length;
  });

const refuse = async (given: string, expected: RegExp, settings = settingsFor(empty)) => {
  await assert.rejects(restore({ file: given, due: "send", ...operation(settings) }), expected);
  assert.equal(await countTables(empty), 0, "the target is as empty as before");
};

const variant = (name: string, bytes: Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

/** A backup without rows whose header was changed. */
async function withHeader(name: string, changes: Partial<BackupHeader>): Promise<string> {
  const path = join(folder, name);
  const header = { ...(await readHeader(file)), ...changes };
  await writeToFile(
    writeFrames(header, [], () => {}),
    path,
    new AbortController().signal,
  );
  return path;
}

test("files that are cut short, altered, of another kind or from a newer version", async () => {
  const whole = readFileSync(file);
  const plain = zstdDecompressSync(whole);
  const at = plain.indexOf("welcome");
  assert.ok(at > 0);
  const changed = Buffer.from(plain);
  changed[at] = "W".charCodeAt(0);
  const flipped = Buffer.from(whole);
  flipped[Math.floor(whole.length / 2)]! ^= 1;
  for (const length of [whole.length - 1, whole.length - 25, Math.floor(whole.length / 2), 200]) {
    await refuse(
      variant(`cut-${length}`, whole.subarray(0, length)),
      /was cut short: its end is missing\. Nothing was changed\. Copy it again/,
    );
  }
  await refuse(variant("cut-inside", zstdCompressSync(plain.subarray(0, plain.length - 3))), /was cut short/);
  await refuse(variant("flipped", flipped), /was altered: its checksum does not match/);
  await refuse(variant("changed", zstdCompressSync(changed)), /was altered: its checksum does not match/);
  await refuse(variant("longer", zstdCompressSync(Buffer.concat([plain, plain]))), /was altered/);
  await refuse(variant("text", Buffer.from("Dear diary")), /text is not a backup of Tidings\.$/);
  await refuse(variant("nothing", Buffer.alloc(0)), /nothing is not a backup of Tidings\.$/);
  await refuse(
    variant("other", zstdCompressSync(Buffer.from("Dear diary, ".repeat(100)))),
    /other is not a backup of Tidings\.$/,
  );
  await refuse(join(folder, "missing"), /There is no file .*missing\.$/);
  await refuse(folder, /is a folder, not a backup\.$/);
  const { migrations } = await readHeader(file);
  const next = { version: 9_999, name: "9999_future", checksum: "" };
  const newer =
    /taken by Tidings \d.*, whose tables this version does not know\. Restore it with that version or a later one/;
  await refuse(await withHeader("format", { format: 2 }), newer);
  await refuse(await withHeader("migration", { migrations: [...migrations, next] }), newer);
  await refuse(await withHeader("queue", { queue: 9_999 }), newer);
  const rewritten = [{ ...migrations[0]!, checksum: "0" }, ...migrations.slice(1)];
  await refuse(
    await withHeader("rewritten", { migrations: rewritten }),
    /another text of the migration 0001_foundation/,
  );
  const bad = {
    name: "jobs_2026_01",
    columns: ["id"],
    partition: { of: "jobs", bound: "DEFAULT; drop table x", options: [] },
  };
  await refuse(await withHeader("hostile", { tables: [bad] }), /bounds or options of an unknown form/);
});

test("an interrupt or a lost connection leaves no file, and an empty database", async () => {
  const interrupted = (settings: Record<string, string>) => {
    const controller = new AbortController();
    return { env: settings, say: () => controller.abort(), signal: controller.signal };
  };
  const path = join(folder, "interrupted.backup");
  await assert.rejects(backup({ to: path, withKey: false, ...interrupted(settingsFor(source)) }));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("interrupted")),
    [],
  );
  await assert.rejects(restore({ file, due: "send", ...interrupted(settingsFor(empty)) }));
  assert.equal(await countTables(empty), 0);

  const lost = operation(settingsFor(empty));
  const disconnect = () =>
    withDb(empty, (db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'tidings restore'`.execute(db),
    );
  const ended: Promise<unknown>[] = [];
  const say = (text: string) => void (text.startsWith("queue.") && ended.push(disconnect()));
  await assert.rejects(
    restore({ file, due: "send", ...lost, say }),
    /^Error: The connection to the database was lost: run the command again when the database is back\. Nothing was changed\./,
  );
  await Promise.all(ended);
  assert.equal(await countTables(empty), 0);
});

test("wrong key, running service, full database, wrong password", async () => {
  const other = { ...settingsFor(empty), TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  await refuse(
    file,
    /key in TIDINGS_ENCRYPTION_KEY is not the one that the backup needs.*Put the key of the service/,
    other,
  );
  await assert.rejects(
    backup({ to: join(folder, "wrong"), withKey: false, ...operation({ ...other, DATABASE_URL: source }) }),
    /key in TIDINGS_ENCRYPTION_KEY does not belong to this database/,
  );
  await refuse(file, /A service runs on the database of DATABASE_URL: stop it/, settingsFor(source));
  await service.stop();
  await refuse(
    file,
    /is not empty: it has \d+ tables \(public\.alert_messages, .* …\), with the environments development and production\. A restore replaces nothing\. Create an empty database/,
    settingsFor(source),
  );
  const strangers = await newDatabase({ isEmpty: true });
  await withDb(strangers, (db) => sql`create table recipes (id int)`.execute(db));
  await refuse(file, /is not empty: it has 1 table \(public\.recipes\)\./, settingsFor(strangers));
  await assert.rejects(
    backup({ to: join(folder, "none"), withKey: false, ...operation(settingsFor(strangers)) }),
    /There is no installation of Tidings in the database of DATABASE_URL/,
  );
  const locked = new URL(empty);
  locked.password = "wrong";
  await refuse(file, /refused the password of user "tidings".*Correct DATABASE_URL/, settingsFor(locked.href));
  const wrong = { to: join(folder, "locked"), withKey: false, ...operation(settingsFor(locked.href)) };
  await assert.rejects(backup(wrong), /refused the password/);
  const nowhere = { to: join(folder, "no", "where"), withKey: false, ...operation(settingsFor(source)) };
  await assert.rejects(
    backup(nowhere),
    /could not be written to .*: the folder does not exist\. Nothing was left there/,
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => /unfinished|wrong|none|locked/.test(name)),
    [],
    "what could not be finished was removed",
  );
});

test("a data folder: the enclosed key, a second restore, a running service, a backup without one", async () => {
  const enclosed = join(folder, "with-key.backup");
  const { key } = await backup({ to: enclosed, withKey: true, ...operation(settingsFor(source)) });
  assert.equal(key, null);
  assert.equal(statSync(enclosed).mode & 0o777, 0o600);
  const dataDir = join(folder, "data");
  const settings = { TIDINGS_DATA_DIR: dataDir };
  const without = { file, due: "send" as const, ...operation(settings) };
  await assert.rejects(
    restore(without),
    /encrypted with a key that is not here.*encryption\.key or in TIDINGS_ENCRYPTION_KEY/,
  );
  await assert.rejects(
    restore({ ...without, file: variant("half", readFileSync(enclosed).subarray(0, 5_000)) }),
    /cut short/,
  );
  assert.ok(!existsSync(dataDir), "a folder is made for a good backup alone");

  const first = await restore({ file: enclosed, due: "send", ...operation(settings) });
  assert.equal(first.keyFile, join(dataDir, "encryption.key"));
  assert.equal(readFileSync(first.keyFile, "utf8").trim(), `1:${encryptionKey}`);
  await assert.rejects(restore({ file: enclosed, due: "send", ...operation(settings) }), /is not empty/);

  const again = join(folder, "again.backup");
  const stopped = await backup({ to: again, withKey: false, ...operation(settings) });
  assert.equal(stopped.rows, first.rows);
  assert.equal(stopped.key, join(dataDir, "encryption.key"));
  const running = await startEmbedded({ dataDir });
  try {
    assert.equal((await backup({ to: again, withKey: false, ...operation(settings) })).rows, first.rows);
    await assert.rejects(
      restore({ file: enclosed, due: "send", ...operation(settings) }),
      /in use by another running service/,
    );
  } finally {
    await running.stop();
  }
  assert.equal((await verifyFile(again)).rows, first.rows);
  const nothing = operation({ TIDINGS_DATA_DIR: join(folder, "no-data") });
  await assert.rejects(
    backup({ to: again, withKey: false, ...nothing }),
    /There is no database in .*no-data\. Run the command/,
  );
});
