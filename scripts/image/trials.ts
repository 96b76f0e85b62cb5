// The trials of the image: what an operator does with it, and what goes wrong. Each prints what it saw.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { type Container, type Process, startContainer } from "./container.ts";
import { notify, readKey, type Started, stop, type World } from "./world.ts";

type Trial = (world: World) => Promise<void>;

const wait = { name: "Wait", type: "delay", controlValues: { amount: 3, unit: "seconds" } } as const;
const isPostgres = ({ name }: Process): boolean => name === "postgres";
const portOf = ({ url }: Started): string => new URL(url).port;

/** The last line of JSON of a failed start, and the sentence in it. */
function sentenceIn(output: string): string {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const { msg, reason } = JSON.parse(lines.at(-1) ?? "{}") as { msg?: string; reason?: string };
  assert.equal(msg, "Tidings could not start", output);
  return reason ?? "";
}

async function expectHealth({ exec }: Container, options: string[], code: number, say: World["say"]): Promise<void> {
  const found = await exec("tidings", "health", ...options);
  say(`tidings ${["health", ...options].join(" ")}: ${found.code}, ${found.output}`);
  assert.equal(found.code, code, found.output);
}

/** One volume from the first start over a crash of PostgreSQL and a stop in the middle of work to a second start. */
const firstToSecondStart: Trial = async (world) => {
  const { say } = world;
  const volume = world.namedVolume();
  const first = await world.start({ volume });
  say(`ready after ${first.seconds.toFixed(1)} s, PostgreSQL created in the volume`);
  const key = readKey(volume);
  const client = first.client(key);
  say(`first notification: ${await notify(client, "ada")}`);
  await expectHealth(first.container, [], 0, say);
  await expectHealth(first.container, ["--live"], 0, say);
  const shown = await first.container.exec("tidings", "key");
  assert.equal(shown.output, key);
  const link = await first.container.exec("tidings", "sign-in");
  assert.match(link.output, /^http\S+\/sign-in#token=\S+$/);
  say("tidings key: the key of the first start; tidings sign-in: another link");
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal);
  if (outside) {
    const { status } = await fetch(`http://${outside.address}:${portOf(first)}/health`);
    say(`from another address of the machine: ${status}`);
    assert.equal(status, 200);
  }
  const processes = await first.container.processes();
  const users = [...new Set(processes.map(({ uid }) => uid))];
  const [init] = processes;
  const capabilities = /^CapEff:\s*(\S+)$/m.exec(await first.container.read("/proc/1/status"))?.[1];
  say(
    `process 1 is ${init?.name}; ${processes.length} processes, all of user ${users.join(", ")}, capabilities ${capabilities}`,
  );
  assert.deepEqual([init?.name, users, Number(`0x${capabilities}`)], ["tini", [10_001], 0]);

  await expectReaped(world, first);
  say(`after it: ${await notify(client, "bob")}`);

  await createWorkflow(client, "later", [wait, inApp()]);
  await trigger(client, "later", "cleo");
  const event = { name: "welcome", to: "crowd", payload: { product: "Tidings" } };
  const sent = Array.from({ length: 5 }, () =>
    client("events.triggerBulk", { body: { events: Array(100).fill(event) } }),
  );
  for (const { status } of await Promise.all(sent)) assert.equal(status, 201);
  say(`${await stop(first)}, right after 500 events and a delay of 3 s were accepted`);
  assert.ok(!existsSync(join(volume, "postgres/postmaster.pid")), "PostgreSQL has stopped");

  // What Kubernetes does to a volume with `fsGroup` before each start.
  execFileSync("chmod", ["--recursive", "g+rwX,g+s", volume]);
  const logged = statSync(join(volume, "postgres.log")).size;
  const second = await world.start({ volume, isReadOnly: true });
  say(
    `second start on the same volume, made writable for its group, read-only root: ready after ${second.seconds.toFixed(1)} s`,
  );
  const log = readFileSync(join(volume, "postgres.log"), "utf8").slice(logged);
  assert.match(log, /database system was shut down at/);
  assert.doesNotMatch(log, /recovery/);
  const again = second.client(key);
  const count = await eventually(async () => {
    const query = { limit: 1000 };
    const { body } = await again("subscribers.countUnseen", { params: { subscriberId: "crowd" }, query });
    return body.count >= 500 && body.count;
  }, "the messages of the 500 events");
  assert.equal(count, 500);
  await eventually(
    async () => (await feedOf(again, "cleo").catch(() => [])).length === 1,
    "the message after the delay",
  );
  say(`same key, PostgreSQL without recovery; ${count} of 500 messages, the delayed one too, none twice`);
  const write = await second.container.exec("touch", "/opt/tidings/file");
  say(`a write to the root: ${write.output}`);
  assert.match(write.output, /Read-only file system/);
  say(`notification: ${await notify(again, "dan")}`);
  say(await stop(second));

  const other = await world.refuse({ volume, user: "4711:0" });
  say(`the same volume as user 4711: exit code ${other.code}, ${sentenceIn(other.output)}`);
  assert.equal(other.code, 1);
  assert.match(sentenceIn(other.output), /\/data\/postgres belongs to user 10001.*user 4711/);
};

/** The service starts PostgreSQL again. Returns the processes of the killed one. */
async function killPostmaster({ container, url }: Started): Promise<Process[]> {
  const before = (await container.processes()).filter(isPostgres);
  const isNew = ({ pid }: Process) => !before.some((one) => one.pid === pid);
  const isPostmaster = (one: Process) => isPostgres(one) && one.args.includes(" -D ");
  process.kill(await container.hostPid(before.find(isPostmaster)!.pid), "SIGKILL");
  await eventually(
    async () =>
      (await container.processes()).some((one) => isPostmaster(one) && isNew(one)) &&
      (await fetch(`${url}/ready`)).status === 200,
    "PostgreSQL to be started again",
    60_000,
  );
  return before;
}

/** The children of a killed PostgreSQL lose their parent: process 1 has to reap them. */
async function expectReaped({ say }: World, started: Started): Promise<void> {
  const killed = await killPostmaster(started);
  const isOld = ({ pid }: Process) => killed.some((one) => one.pid === pid);
  const isLeft = (one: Process) => one.isZombie || (isPostgres(one) && isOld(one));
  await eventually(async () => !(await started.container.processes()).some(isLeft), "the end of all of them", 60_000);
  say(`PostgreSQL killed with ${killed.length} processes: started again, no zombie is left`);
}

/** The same kill with Node as process 1: the trial above can fail, and the init is needed. */
const withoutInit: Trial = async (world) => {
  const started = await world.start({ volume: world.namedVolume(), entrypoint: [] });
  await killPostmaster(started);
  const countZombies = async () => (await started.container.processes()).filter(({ isZombie }) => isZombie).length;
  const zombies = await eventually(countZombies, "zombies");
  world.say(`without tini, PostgreSQL killed: ${zombies} zombies are left`);
  world.say(await stop(started));
};

/** Without any setting: the port and the address of the image itself. */
const defaults: Trial = async ({ image, namedVolume, say }) => {
  const container = startContainer(image, { volume: namedVolume(), hasOwnNetwork: true });
  const isHealthy = async () => (await container.exec("tidings", "health")).code === 0;
  await eventually(isHealthy, "the service to be ready", 180_000);
  await expectHealth(container, [], 0, say);
  const listening = /^\s*\d+: (\S+):0BB8 \S+ 0A /m.exec(await container.read("/proc/1/net/tcp"))?.[1];
  say(`no setting, its own network: listens on port 3000 of ${listening === "00000000" ? "0.0.0.0" : listening}`);
  assert.equal(listening, "00000000");
  say(await stop({ container }));
};

/** As OpenShift does: any id, group 0, no entry in /etc/passwd. */
const otherUser: Trial = async (world) => {
  const { say } = world;
  const volume = world.namedVolume();
  const started = await world.start({ volume, user: "4711:0", isReadOnly: true });
  const name = await started.container.exec("id", "--user", "--name");
  const users = [...new Set((await started.container.processes()).map(({ uid }) => uid))];
  say(
    `user 4711, read-only root: ready after ${started.seconds.toFixed(1)} s; ${name.output.split("\n").at(-1)}; processes of user ${users.join(", ")}`,
  );
  assert.match(name.output, /cannot find name for user ID 4711/);
  assert.deepEqual(users, [4711]);
  say(`notification: ${await notify(started.client(readKey(volume)), "ada")}`);
  await expectHealth(started.container, [], 0, say);
  say(await stop(started));
};

const refusals: Trial = async (world) => {
  const { say } = world;
  const ofRoot = world.folder(0, 0o755);
  const root = await world.refuse({ volume: ofRoot });
  say(`a volume of root: exit code ${root.code}, ${sentenceIn(root.output)}`);
  assert.equal(root.code, 1);
  assert.match(
    sentenceIn(root.output),
    /data folder \/data, which belongs to user 0 .* chown -R 10001 \/data .* fsGroup/,
  );
  assert.deepEqual(readdirSync(ofRoot), []);

  const none = await world.refuse({ isReadOnly: true });
  say(`a read-only root without a volume: exit code ${none.code}, ${sentenceIn(none.output)}`);
  assert.equal(none.code, 1);
  assert.match(sentenceIn(none.output), /\/data is on a read-only file system. Mount a writable volume/);

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "0.0.0.0", resolve));
  const { port } = taken.address() as { port: number };
  const volume = world.namedVolume();
  const inUse = await world.refuse({ volume, env: { TIDINGS_PORT: String(port) } });
  taken.close();
  say(`a port in use: exit code ${inUse.code}, ${sentenceIn(inUse.output)}`);
  assert.equal(inUse.code, 1);
  assert.match(sentenceIn(inUse.output), new RegExp(`^Port ${port} of 0.0.0.0 is in use.*TIDINGS_PORT`));
  assert.deepEqual(readdirSync(volume), []);

  const misspelt = await world.refuse({ volume, env: { TIDINGS_PROT: "3001" } });
  say(`an unknown setting: exit code ${misspelt.code}, ${misspelt.output.trim().split("\n").at(-1)}`);
  assert.equal(misspelt.code, 1);
  assert.match(misspelt.output, /TIDINGS_PROT is not a setting; did you mean TIDINGS_PORT\?/);
};

/** With DATABASE_URL: no PostgreSQL in the container, and nothing to write to. */
const ownDatabase: Trial = async (world) => {
  const { say } = world;
  const dataDir = mkdtempSync(join(tmpdir(), "tidings-image-database-"));
  let database = await startEmbedded({ dataDir });
  try {
    const volume = world.folder(0, 0o755);
    const env = { DATABASE_URL: database.url, TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
    const apiKey = randomBytes(24).toString("hex");
    const started = await world.start({ volume, isReadOnly: true, env: { ...env, TIDINGS_API_KEY: apiKey } });
    const names = (await started.container.processes()).map(({ name }) => name);
    say(
      `DATABASE_URL, a volume of root, read-only root: ready after ${started.seconds.toFixed(1)} s; processes: ${names.join(", ")}`,
    );
    assert.ok(!names.includes("postgres"));
    say(`notification: ${await notify(started.client(apiKey), "ada")}`);
    assert.deepEqual(readdirSync(volume), []);
    await expectHealth(started.container, [], 0, say);
    await database.stop();
    say("the database is stopped");
    await expectHealth(started.container, [], 1, say);
    await expectHealth(started.container, ["--live"], 0, say);
    database = await startEmbedded({ dataDir });
    await eventually(async () => (await started.container.exec("tidings", "health")).code === 0, "readiness", 60_000);
    say("the database is back: ready again, in the same process");
    say(await stop(started));

    const wrong = new URL(database.url);
    wrong.password = "wrong";
    const refused = await world.refuse({ volume, isReadOnly: true, env: { ...env, DATABASE_URL: wrong.href } });
    say(`a wrong password of the database: exit code ${refused.code}, ${sentenceIn(refused.output)}`);
    assert.equal(refused.code, 1);
    assert.match(sentenceIn(refused.output), /refused the password .* Correct DATABASE_URL/);
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
};

export const trials: Record<string, Trial> = {
  "first notification, restart, stop": firstToSecondStart,
  "without the init": withoutInit,
  "the defaults": defaults,
  "another user id": otherUser,
  "what cannot start": refusals,
  "a database of your own": ownDatabase,
};
