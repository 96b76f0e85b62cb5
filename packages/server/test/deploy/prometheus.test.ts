// A real Prometheus reads a real service with deploy/prometheus.yml: it understands the metrics, and evaluates every
// rule without an error.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { skipUnlessLong } from "@tidings/testkit/long";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { parse, stringify } from "yaml";
import { rules, rulesFile } from "./promtool.ts";

const root = join(import.meta.dirname, "../../../..");
const isInstalled = spawnSync("prometheus", ["--version"]).status === 0;
const skip = skipUnlessLong || (isInstalled ? false : "NO PROMETHEUS: install it (apt-get install prometheus)");

type RulesReply = { data: { groups: { rules: { name: string; health: string; state: string }[] }[] } };
type TargetsReply = { data: { activeTargets: { health: string; lastError: string }[] } };

test("Prometheus reads the metrics and evaluates the rules", { skip }, async (context) => {
  const service = await startTestService();
  const folder = mkdtempSync(join(tmpdir(), "tidings-prometheus-"));
  const config = parse(readFileSync(join(root, "deploy/prometheus.yml"), "utf8"));
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  config.rule_files = [rulesFile];
  config.scrape_configs[0].static_configs[0].targets = [new URL(service.url).host];
  const file = join(folder, "prometheus.yml");
  writeFileSync(file, stringify(config));
  const address = `127.0.0.1:${await closedPort()}`;
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const child = spawn("prometheus", [...args, `--web.listen-address=${address}`], { stdio: "ignore" });
  context.after(async () => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async <T>(path: string): Promise<T | null> =>
    fetch(`http://${address}/api/v1/${path}`).then(
      async (reply) => (reply.ok ? ((await reply.json()) as T) : null),
      () => null,
    );
  const targets = await eventually(async () => {
    const found = (await ask<TargetsReply>("targets"))?.data.activeTargets ?? [];
    return found.some(({ health }) => health !== "unknown") ? found : null;
  }, "the first reading");
  assert.deepEqual(
    targets.map(({ health, lastError }) => [health, lastError]),
    [["up", ""]],
  );
  const evaluated = await eventually(async () => {
    const found = (await ask<RulesReply>("rules"))?.data.groups.flatMap((group) => group.rules) ?? [];
    return found.length > 0 && found.every(({ health }) => health !== "unknown") ? found : null;
  }, "the rules to be evaluated");
  assert.deepEqual(
    evaluated.map(({ name, health, state }) => `${name} ${health} ${state === "firing"}`).toSorted(),
    rules.map(({ alert }) => `${alert} ok false`).toSorted(),
  );
});
