import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, createClient } from "@tidings/testkit/client";
import { isLong } from "@tidings/testkit/long";
import { metric } from "@tidings/testkit/metric";
import { temporaryFolder } from "@tidings/testkit/process";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { createWorkflow, email, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { parse } from "acorn";
import pg from "pg";
import { firstStartFile, placeSecrets } from "../src/first-start.ts";

/** The request a curl line of the banner would make. */
function requestOf(curl: string): { url: string; init: RequestInit } {
  const url = /(http\S+)/.exec(curl)?.[1] ?? "";
  const headers = [...curl.matchAll(/-H '([^:]+): ([^']*)'/g)].map((match): [string, string] => [match[1]!, match[2]!]);
  const body = /-d '([^']*)'/.exec(curl)?.[1];
  return { url, init: { method: body ? "POST" : "GET", headers, body } };
}

test("from the first start to the second: banner, curl, one service a folder, clean stop, nothing forgotten", async (context) => {
  const folder = temporaryFolder(context);
  const first = folder.run();
  const { apiKey, banner, client, firstLink } = await first.started();
  assert.match(apiKey, /^tdg_/);
  // The output is not a terminal, so it may be kept in logs.
  const secrets = join(folder.path, firstStartFile);
  for (const secret of [apiKey, firstLink.split("#")[1]!]) assert.ok(!first.output().includes(secret));
  assert.match(banner, new RegExp(`Sign in +in ${secrets}\n +API key +in ${secrets}\n`));
  assert.equal(statSync(secrets).mode & 0o777, 0o600);

  const [send, read] = banner
    .replaceAll("<API key>", apiKey)
    .split(/^ {2}(?=curl )/m)
    .slice(1);
  const accepted = await fetch(...toFetch(requestOf(send!)));
  assert.equal(accepted.status, 201);
  const feed = await eventually(async () => {
    const answer = await fetch(...toFetch(requestOf(read!)));
    // Until the event is processed, the service does not know the subscriber.
    if (answer.status === 404) return null;
    assert.equal(answer.status, 200);
    const { data } = (await answer.json()) as { data: { content: string }[] };
    return data.length > 0 ? data : null;
  }, "the message of the banner's curl");
  assert.match(feed[0]!.content, /Tidings/);
  // A library that the bundle loads later.
  const { scenario } = (await client("gallery.retrieve", { params: { name: "welcome" } })).body;
  assert.match(scenario, /^name: /);

  const second = folder.run();
  assert.equal(await second.ended(), 1);
  assert.match(second.output(), /Tidings could not start\.\n.*in use by another running service/);
  assert.doesNotMatch(second.output(), /\n {4}at /, "no stack for a fault that a sentence explains");
  assert.equal((await feedOf(client, "ada")).length, 1, "the first one does not mind");

  assert.equal(await first.end("SIGTERM"), 0);
  assert.match(first.output(), /SIGTERM received, finishing requests and tasks in progress[\s\S]*stopped\n$/);

  const otherKey = { TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const refused = folder.run({ ...otherKey, TIDINGS_LOG_FORMAT: "json" });
  assert.equal(await refused.ended(), 1);
  const { msg, reason } = jsonLines(refused.output()).at(-1)!;
  assert.deepEqual([msg, /^TIDINGS_ENCRYPTION_KEY is not the key/.test(reason!)], ["Tidings could not start", true]);
  const wrong = folder.run(otherKey);
  assert.equal(await wrong.ended(), 1);
  assert.match(wrong.output(), /TIDINGS_ENCRYPTION_KEY is not the key this database was set up with/);
  assert.doesNotMatch(wrong.output(), /\n {4}at /);

  const again = folder.run({ TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8" });
  const restarted = await again.started();
  await requireMail(restarted.client);
  assert.ok(!readFileSync(secrets, "utf8").includes(apiKey), "the key is shown once");
  assert.match(restarted.banner, /API key +npm run key \(or tidings key\) shows that of Development/);
  assert.equal(await folder.showKey(), apiKey);
  const productionKey = await folder.showKey("production");
  const ofProduction = createClient({ baseUrl: restarted.url, apiKey: productionKey });
  const owned = (await ofProduction("environments.list")).body.filter(({ apiKeys }) => apiKeys);
  assert.deepEqual(
    owned.map(({ identifier }) => identifier),
    ["production"],
  );
  assert.match(await folder.refuseKey(1, "prod"), /no environment "prod" with an API key: development, production/);
  for (const args of [["production", "staging"], ["--production"]])
    assert.match(await folder.refuseKey(64, ...args), /tidings key --help/);
  const made = await folder.makeSignInLink();
  const outcomes = [firstLink, restarted.firstLink, made].map(async (link) => {
    const body = JSON.stringify({ token: link.split("#token=")[1] });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${restarted.url}/v1/auth/link/check`, { method: "POST", headers, body })).status;
  });
  assert.deepEqual(await Promise.all(outcomes), [404, 404, 200], "the newest link works");
  for (const link of [firstLink, made]) assert.ok(link.startsWith("http://localhost:"), "one host, one session");
  assert.equal((await feedOf(restarted.client, "ada")).length, 1);
  assert.equal(await again.end("SIGINT"), 0);

  const forPrograms = folder.run({ TIDINGS_LOG_FORMAT: "json" });
  const ready = await eventually(
    () => jsonLines(forPrograms.output()).find(({ msg }) => msg === "Tidings is ready"),
    "the line that says so",
    60_000,
  );
  const files = await createClient({ baseUrl: ready.url!, apiKey })("files.export");
  assert.equal(files.body.resources.workflows!.length, 2);
  assert.equal(await forPrograms.end("SIGTERM"), 0);
  assert.equal(jsonLines(forPrograms.output()).at(-1)!.msg, "stopped");
});

/** Every line of a log for programs has to be JSON. */
const jsonLines = (output: string): { msg: string; url?: string; reason?: string }[] =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test("a port in use is refused with the setting that changes it, before a database is made", async (context) => {
  const other = createServer();
  context.after(() => other.close());
  await new Promise<void>((resolve) => other.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = other.address() as AddressInfo;
  const folder = temporaryFolder(context);
  // A silent log has no place for it, so it is said as text.
  const program = folder.run({ TIDINGS_PORT: String(port), TIDINGS_LOG_FORMAT: "json", TIDINGS_LOG_LEVEL: "silent" });
  assert.equal(await program.ended(), 1);
  assert.match(
    program.output(),
    new RegExp(`Port ${port} of 127.0.0.1 is in use.*TIDINGS_PORT, such as TIDINGS_PORT=\\d+\\.\n$`),
  );
  assert.deepEqual(readdirSync(folder.path), []);
});

test("an older Node gets a sentence that says how to run it, before anything starts", () => {
  const program = join(import.meta.dirname, "../dist/start.js");
  const source = readFileSync(program, "utf8");
  const { body } = parse(source, { ecmaVersion: 2022, sourceType: "module" });
  assert.ok(!body.some(({ type }) => type === "ImportDeclaration"), "no module that an older Node could not read");
  const older =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.23.0'}})";
  for (const first of [program, join(import.meta.dirname, "../start.mjs")]) {
    const { status, stderr } = spawnSync(process.execPath, ["--import", older, first], { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^Tidings could not start\.\nIt needs Node 24 or later, and this is Node 22\.23\.0 .*npm start/,
    );
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
});

test("the secrets of a first start are shown on a terminal, and kept in a file elsewhere until there is an owner", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-first-start-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [file, dataDir] = [join(folder, "data", firstStartFile), join(folder, "data")];
  const first = { firstLink: "http://localhost/sign-in#token=x", isFirstStart: true, developmentKey: "tdg_x" };
  assert.deepEqual(placeSecrets(first, dataDir, true), { kind: "shown" });
  assert.ok(!existsSync(file));
  assert.deepEqual(placeSecrets(first, dataDir, false), { kind: "kept", file });
  assert.equal(readFileSync(file, "utf8"), `Sign in   ${first.firstLink}\nAPI key   tdg_x\n`);
  assert.deepEqual(placeSecrets({ ...first, isFirstStart: false }, dataDir, false), { kind: "kept", file });
  assert.equal(readFileSync(file, "utf8"), `Sign in   ${first.firstLink}\n`);
  const later = { firstLink: null, isFirstStart: false, developmentKey: "tdg_x" };
  assert.deepEqual(placeSecrets(later, dataDir, false), { kind: "kept", file: null });
  assert.ok(!existsSync(file));
  // A folder that cannot be created: the commands show the same.
  assert.deepEqual(placeSecrets(first, "/dev/null/data", false), { kind: "kept", file: null });
});

/** A mail through an HTTP provider: what a call needs is loaded with the first one. */
async function requireMail(client: Client): Promise<void> {
  const receiver = await startReceiver(() => ({ status: 200 }));
  await mailer(client, "mailer", `${receiver.url}/mail`);
  await createWorkflow(client, "mail", [email()]);
  await trigger(client, "mail", { subscriberId: "ada", email: "ada@example.com" });
  await eventually(() => receiver.of("/mail").length === 1, "the mail");
}

const toFetch = ({ url, init }: ReturnType<typeof requestOf>): [string, RequestInit] => [url, init];

test("a misspelt setting is refused with the one that was meant, before anything starts", async (context) => {
  const program = temporaryFolder(context).run({ TIDINGS_PROT: "3000", TIDINGS_LOG_LEVEL: "loud" });
  assert.equal(await program.ended(), 1);
  assert.match(program.output(), /TIDINGS_PROT is not a setting; did you mean TIDINGS_PORT\?/);
  assert.match(program.output(), /TIDINGS_LOG_LEVEL must be one of/);
  assert.doesNotMatch(program.output(), /PostgreSQL/);
});

// 2,000 events with two recipients each, half of them through a delay: 4,000 notifications and 6,000 messages. At the
// kill, up to eight of 20 requests are on the line.
const requests = isLong ? 100 : 8;
const eventsPerRequest = 100;
const recipients = ["ada", "bob"];

test("without its database, the service says so in a sentence, after the time that it waits", async (context) => {
  const process = temporaryFolder(context).run({
    DATABASE_URL: "postgres://tidings:secret@127.0.0.1:1/tidings",
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_DATABASE_WAIT: "1",
  });
  assert.equal(await process.ended(), 1);
  const output = process.output();
  assert.match(output, /waiting for PostgreSQL at 127\.0\.0\.1:1\/tidings/);
  assert.match(
    output,
    /Tidings could not start\.\nPostgreSQL at 127\.0\.0\.1:1\/tidings does not accept connections within 1 seconds .*ECONNREFUSED.*Check DATABASE_URL/,
  );
  assert.doesNotMatch(output, /secret|\n +at /);
});

test("nothing accepted is lost or doubled when the service is killed under load", async (context) => {
  const folder = temporaryFolder(context);
  const settings = { TIDINGS_LOG_LEVEL: "error", TIDINGS_THREADS: "2" };
  const first = folder.run(settings);
  const { client, apiKey, url } = await first.started();
  await createWorkflow(client, "plain", [inApp({ body: "one" })]);
  await createWorkflow(client, "paused", [
    inApp({ body: "one" }),
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "seconds" } },
    inApp({ body: "two" }),
  ]);

  const accepted = new Map<string, "plain" | "paused">();
  const unsent = new Set(Array.from({ length: requests }, (_, index) => index));
  const send = async (baseUrl: string, index: number): Promise<void> => {
    const name = index % 2 ? "paused" : "plain";
    const events = Array.from({ length: eventsPerRequest }, (_, n) => ({ name, to: recipients, payload: { n } }));
    const answer = await fetch(`${baseUrl}/v1/events/trigger/bulk`, {
      method: "POST",
      headers: { authorization: `ApiKey ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ events }),
    });
    assert.equal(answer.status, 201);
    for (const { transactionId } of (await answer.json()) as { transactionId: string }[])
      accepted.set(transactionId, name);
    unsent.delete(index);
  };
  const sendAll = async (baseUrl: string, onAnswer: () => void): Promise<void> => {
    const queue = [...unsent];
    const caller = async () => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
        await send(baseUrl, index);
        onAnswer();
      }
    };
    await Promise.all(Array.from({ length: 8 }, caller));
  };

  // Killed with requests on the line, tasks in the workers and delays running. Requests without a response may or may
  // not have been accepted; only those with a response count.
  let killing: Promise<unknown> | undefined;
  await sendAll(url, () => {
    if (accepted.size >= requests * eventsPerRequest * 0.8) killing ??= first.end("SIGKILL");
  }).catch(() => {});
  await killing;
  assert.ok(accepted.size >= requests * eventsPerRequest * 0.8);

  const db = new pg.Client({ connectionString: folder.databaseUrl() });
  await db.connect();
  // Needed even if the test fails half-way: the server is then stopped while the connection is open.
  db.on("error", () => {});
  const atKill = await standing(db, [...accepted.keys()]);
  assert.ok(atKill.missing + atKill.open > 0, "the service was killed before it had finished");

  const second = folder.run(settings);
  const restarted = await second.started();
  await sendAll(restarted.url, () => {});
  assert.equal(accepted.size, requests * eventsPerRequest);
  const metrics = await (await fetch(`${restarted.url}/metrics`)).text();
  assert.equal(metric(metrics, "tidings_threads", {}), 2);
  const free = metric(metrics, "tidings_disk_free_bytes", {})!;
  assert.ok(free > 0 && free <= metric(metrics, "tidings_disk_size_bytes", {})!, "the disk of the embedded database");
  const ids = [...accepted.keys()];
  await eventually(
    async () => {
      const { missing, open } = await standing(db, ids);
      return missing === 0 && open === 0;
    },
    "every accepted event to end",
    45_000,
  );

  const { rows } = await db.query(
    `select w.workflow_id as workflow, count(*)::int as pairs, min(messages)::int as least, max(messages)::int as most,
       min(jobs)::int as jobs, bool_and(all_done) as done
     from (
       select n.workflow_id, n.event_id, n.subscriber_id, count(distinct n.id) as notifications,
         count(distinct m.id) as messages, coalesce(max(json_array_length(n.finished_jobs)), count(distinct j.id)) as jobs,
         bool_and(coalesce(j.status, n.finished_jobs->>0) in ('completed', 'in_app')) as all_done
       from events e join notifications n on n.event_id = e.id left join jobs j on j.notification_id = n.id
       left join messages m on m.notification_id = n.id
       where e.transaction_id = any($1)
       group by n.workflow_id, n.event_id, n.subscriber_id) per join workflows w on w.id = per.workflow_id
     group by 1 order by 1`,
    [ids],
  );
  const pairs = (requests / 2) * eventsPerRequest * recipients.length;
  assert.deepEqual(rows, [
    { workflow: "paused", pairs, least: 2, most: 2, jobs: 3, done: true },
    { workflow: "plain", pairs, least: 1, most: 1, jobs: 1, done: true },
  ]);
  await db.end();
  assert.equal(await second.end("SIGTERM"), 0);
});

/** For these transactions, notifications that do not exist yet, and jobs that have not ended. */
async function standing(db: pg.Client, transactionIds: string[]): Promise<{ missing: number; open: number }> {
  const { rows } = await db.query<{ notifications: number; open: number }>(
    `select count(distinct n.id)::int as notifications,
       count(*) filter (where j.status in ('pending', 'queued', 'running', 'delayed'))::int as open
     from events e join notifications n on n.event_id = e.id left join jobs j on j.notification_id = n.id
     where e.transaction_id = any($1)`,
    [transactionIds],
  );
  return { missing: transactionIds.length * recipients.length - rows[0]!.notifications, open: rows[0]!.open };
}

test("a signal to npm ends the service and its database", async (context) => {
  // One folder for all signals: creating a database takes longer than the rest.
  const folder = temporaryFolder(context);
  for (const signal of ["SIGKILL", "SIGINT", "SIGTERM"] as const) {
    await context.test(signal, async () => {
      const program = folder.runByNpm();
      const { url } = await program.started();
      const code = await program.end(signal);
      if (signal === "SIGTERM") assert.equal(code, 0);
      await eventually(() => program.output().includes("Tidings: stopped"), "the service said that it stopped");
      await assert.rejects(fetch(`${url}/health`), "the port is closed");
      assert.ok(!existsSync(join(folder.path, "postgres", "postmaster.pid")), "the database is shut down");
    });
  }
  rmSync(join(folder.path, "encryption.key"));
  const refused = folder.run();
  assert.equal(await refused.ended(), 1);
  assert.match(refused.output(), /encryption\.key is missing.*Put the file back from a backup/);
  assert.ok(!existsSync(join(folder.path, "encryption.key")), "no other key is made");
});
