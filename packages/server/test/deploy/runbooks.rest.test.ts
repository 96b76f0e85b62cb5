// Dashboards, rules and runbooks agree with the service: every metric is exported, every alert has its runbook, and the
// commands of the runbooks run as pasted.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { stringify } from "yaml";
import { inReadOnlyTransaction } from "../../src/store/db.ts";
import { metricsIn, parseMetrics, rules, runPromtool, skipWithoutPromtool } from "./promtool.ts";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const service = await startTestService();
const { types } = parseMetrics(await (await fetch(`${service.url}/metrics`)).text());

const runbooks = readdirSync(join(root, "docs/runbooks")).filter((name) => name !== "README.md");
const pages = runbooks.map((name) => ({ name, text: read(`docs/runbooks/${name}`) }));

/** Histograms have a series for buckets, sum and count. */
const isExported = (name: string): boolean => types.has(name) || types.has(name.replace(/_(bucket|sum|count)$/, ""));

type Panel = { title: string; description: string; targets: { expr: string }[] };
const dashboards = readdirSync(join(root, "deploy/grafana")).map((name) => ({
  name,
  ...(JSON.parse(read(`deploy/grafana/${name}`)) as { uid: string; panels: Panel[] }),
}));

test("every metric of the dashboards and rules is exported by the service", () => {
  const panels = dashboards.flatMap(({ name, panels }) =>
    panels.map((panel) => ({ place: `${name} ${panel.title}`, panel })),
  );
  const used = [
    ...panels.flatMap(({ place, panel }) => panel.targets.map(({ expr }) => ({ place, expr }))),
    ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ];
  assert.ok(used.length > 50, "the expressions were found");
  const missing = used.flatMap(({ place, expr }) =>
    metricsIn(expr)
      .filter((name) => !isExported(name))
      .map((name) => `${place}: ${name}`),
  );
  assert.deepEqual(missing, []);
  for (const { place, expr } of used) assert.ok(metricsIn(expr).length > 0 || /\bup\b/.test(expr), place);
});

test("every expression of a dashboard is valid", { skip: skipWithoutPromtool }, (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-dashboards-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const targets = dashboards.flatMap(({ panels }) => panels.flatMap((panel) => panel.targets));
  const records = targets.map(({ expr }, index) => ({ record: `expression_${index}`, expr }));
  const file = join(folder, "dashboards.yml");
  writeFileSync(file, stringify({ groups: [{ name: "dashboards", rules: records }] }));
  assert.match(runPromtool("check", "rules", file), new RegExp(`SUCCESS: ${records.length} rules`));
});

test("every alert has a runbook that is listed with it, and every runbook an alert", () => {
  const list = read("docs/runbooks/README.md");
  for (const { alert, labels, annotations } of rules) {
    const file = annotations.runbook_url.replace("docs/runbooks/", "");
    assert.ok(list.includes(`| [${alert}](${file}) | ${labels.severity} | `), `${alert} is listed with its severity`);
    assert.match(read(annotations.runbook_url), new RegExp(`^# ${alert}\n`));
    assert.ok(annotations.summary && annotations.description, alert);
  }
  const named = rules.map(({ annotations }) => annotations.runbook_url);
  assert.deepEqual(named.toSorted(), runbooks.map((name) => `docs/runbooks/${name}`).toSorted());
});

const sections = ["How users feel it", "How to look", "How to fix", "How to prevent"];

for (const { name, text } of pages) {
  test(`${name}: its sections are complete, and its commands run`, async () => {
    assert.deepEqual(
      [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]),
      sections,
    );
    const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language, code]) => ({ language, code }));
    assert.ok(blocks.length > 0, "it says how to look");
    for (const { language, code } of blocks) {
      if (language === "sql") await inReadOnlyTransaction(service.db, (tx) => sql.raw(code!).execute(tx));
      else assert.ok(language === "sh" && (await runShell(code!)).length > 0, code);
    }
  });
}

const run = promisify(execFile);

/** Every command of the block has to succeed. */
async function runShell(code: string): Promise<string> {
  const env = { PATH: process.env.PATH, TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey };
  const { stdout } = await run(
    "bash",
    ["-e", "-o", "pipefail", "-c", code.replaceAll("curl ", "curl --fail-with-body ")],
    {
      env,
      timeout: 20_000,
    },
  );
  return stdout;
}
