// The files for Docker Compose: valid by the published schema, and with settings that the service accepts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../src/config.ts";
import { faultsOfCompose } from "./schemas.ts";

const root = join(import.meta.dirname, "../../../..");

type Service = {
  image: string;
  build?: string;
  restart: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[]; start_period: string };
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt: string[];
  deploy?: { replicas: number };
};
type File = { services: Record<string, Service>; volumes: Record<string, null> };

const readFile = (name: string): File => parse(readFileSync(join(root, "deploy", name), "utf8"), { merge: true });
const files: Record<string, File> = {
  "compose.yaml": readFile("compose.yaml"),
  "compose.split.yaml": readFile("compose.split.yaml"),
};

test("the files are valid by the schema of Compose", () => {
  for (const file of Object.values(files)) assert.deepEqual(faultsOfCompose(file), []);
  const wrong = structuredClone(files["compose.yaml"]!);
  Object.assign(wrong.services.tidings!, { restarts: "always" });
  assert.match(faultsOfCompose(wrong).join("\n"), /restarts/);
});

/** What Compose makes of `$NAME` and `$$`, without any variable set. */
const interpolate = (text: string): string =>
  text.replaceAll(/\$\$|\$\{(\w+)(?::-([^}]*))?\}/g, (all, _name, fallback) => (all === "$$" ? "$" : (fallback ?? "")));

const [script] = files["compose.yaml"]!.services.secrets!.command!;

/** Runs the script of the service `secrets` in a folder. Only root may give files to another user. */
function makeSecrets(folder: string): void {
  const isRoot = process.getuid?.() === 0;
  const text = interpolate(script!).replace("cd /secrets", `cd ${folder}`);
  const { status, stderr } = spawnSync("/bin/sh", ["-euc", isRoot ? text : `chown() { :; }\n${text}`]);
  assert.equal(status, 0, String(stderr));
}

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));

test("the first start generates secrets that the service accepts, and later ones keep them", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-compose-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  makeSecrets(folder);
  const made = contentsOf(folder);
  assert.deepEqual(Object.keys(made).toSorted(), ["database-url", "encryption-key", "postgres-password"]);
  assert.match(made["postgres-password"]!, /^[0-9a-f]{48}$/);
  for (const name of Object.keys(made)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  if (process.getuid?.() === 0) assert.equal(statSync(join(folder, "encryption-key")).uid, 10001);
  rmSync(join(folder, "database-url"));
  makeSecrets(folder);
  assert.deepEqual(contentsOf(folder), made);

  for (const [name, { services }] of Object.entries(files)) {
    const roles = Object.entries(services).filter(([, { environment }]) => environment?.TIDINGS_DATA_DIR);
    assert.deepEqual(
      roles.map(([role]) => role),
      name === "compose.yaml" ? ["tidings"] : ["api", "worker"],
    );
    for (const [role, { environment }] of roles) {
      const given = Object.entries(environment!).map(([setting, value]): [string, string] => [
        setting,
        interpolate(value).replace("/run/tidings", folder),
      ]);
      const config = readConfig(Object.fromEntries(given));
      assert.equal(config.databaseUrl, `postgres://tidings:${made["postgres-password"]}@postgres:5432/tidings`);
      assert.equal(config.encryptionKeys.length, 1);
      assert.deepEqual([...config.roles], role === "tidings" ? ["api", "worker"] : [role]);
    }
  }
});

const secondsOf = (text: string): number => Number.parseInt(text, 10) * (text.endsWith("m") ? 60 : 1);

test("every process has a health check, limits, and time to stop", () => {
  const main = readFileSync(join(root, "packages/server/src/main.ts"), "utf8");
  const drainSeconds = Number(/drainLimitMs = ([\d_]+)/.exec(main)![1]!.replaceAll("_", "")) / 1000;
  for (const { services } of Object.values(files)) {
    for (const [name, service] of Object.entries(services)) {
      assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
      if (name === "secrets") continue;
      assert.equal(service.restart, "unless-stopped", name);
      assert.ok(service.healthcheck, name);
    }
    for (const service of Object.values(services).filter(({ build }) => build)) {
      assert.equal(service.image, `\${TIDINGS_IMAGE:-tidings:local}`);
      assert.deepEqual(service.healthcheck!.test, ["CMD", "tidings", "health"]);
      assert.ok(secondsOf(service.healthcheck!.start_period) >= 600, "time for migrations");
      assert.ok(secondsOf(service.stop_grace_period!) > drainSeconds);
      assert.deepEqual([service.read_only, service.cap_drop], [true, ["ALL"]]);
      assert.equal(service.depends_on!.postgres!.condition, "service_healthy");
      assert.equal(service.depends_on!.secrets!.condition, "service_completed_successfully");
      assert.ok(service.volumes!.includes("secrets:/run/tidings:ro"));
    }
    const { postgres } = services;
    assert.equal(postgres!.image, "postgres:18");
    assert.equal(postgres!.healthcheck!.test[1], "pg_isready");
    // The folder that the image declares as a volume since version 18. Data elsewhere would be lost with the container.
    assert.ok(postgres!.volumes!.includes("postgres:/var/lib/postgresql"));
  }
});

test("both files have the same database and secrets, and the split roles are not published", () => {
  const [one, split] = Object.values(files).map(({ services }) => services);
  for (const name of ["postgres", "secrets"]) assert.deepEqual(split![name], one![name], name);
  assert.deepEqual(one!.tidings!.ports!.map(interpolate), ["127.0.0.1:3000:3000"]);
  for (const name of ["api", "worker"]) {
    assert.equal(split![name]!.ports, undefined);
    assert.equal(split![name]!.deploy!.replicas, 2);
  }
  assert.ok(split!.caddy!.volumes!.includes("./caddy/Caddyfile.split:/etc/caddy/Caddyfile:ro"));
});

test("every volume is declared and used", () => {
  for (const { services, volumes } of Object.values(files)) {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    const names = used.map((one) => one.split(":")[0]!).filter((name) => !name.startsWith("."));
    assert.deepEqual([...new Set(names)].toSorted(), Object.keys(volumes).toSorted());
  }
});
