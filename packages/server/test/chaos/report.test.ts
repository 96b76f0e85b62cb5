// The report of a chaos run: its figures are those of the evidence, it does not hide what was broken or not tried, and
// texts of the evidence have no effect in it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promises } from "../../../../scripts/auditor/promises.ts";
import { type Finding, findings } from "../../../../scripts/chaos/report/findings.ts";
import { replaceFindings } from "../../../../scripts/chaos/report/findings-section.ts";
import { readPromises, writeReport } from "../../../../scripts/chaos/report/run.ts";
import { findingsIn } from "../support/prose/prose.ts";
import { longLines, proseOfMarkdown } from "../support/prose/texts.ts";
import { createSample, kept, makeFolder, type Sample, start, writeSample } from "./evidence.ts";
import { problemsOfXml } from "./xml.ts";

type Report = { page: string; pictures: Map<string, string>; section(title: string): string };

const root = join(import.meta.dirname, "../../../..");

const noExtras: { promises: { id: string; title: string }[]; findings: Finding[] } = { promises: [], findings: [] };

async function report(sample: Sample, extras = noExtras): Promise<Report> {
  const docs = makeFolder();
  await writeReport(writeSample(sample), docs, extras);
  const page = readFileSync(join(docs, "proof.md"), "utf8");
  const names = readdirSync(join(docs, "images/proof"));
  return {
    page,
    pictures: new Map(names.map((name) => [name, readFileSync(join(docs, "images/proof", name), "utf8")])),
    section(title) {
      const rest = page.slice(page.indexOf(`\n## ${title}\n`) + 1);
      assert.ok(rest.startsWith(`## ${title}`), `there is a section “${title}”`);
      const end = rest.indexOf("\n## ", 1);
      return end === -1 ? rest : rest.slice(0, end);
    },
  };
}

/** The cells of the row of a table that begins with the text. */
const rowOf = (text: string, first: string): string[] => {
  const line = text.split("\n").find((one) => one.startsWith(`| ${first}`));
  assert.ok(line, `there is a row “${first}” in\n${text}`);
  return line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, ""));
};

const sample = createSample();
const fine = await report(sample);
const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);

test("what was run is counted", () => {
  const run = fine.section("What was run");
  const failed = sample.calls.filter(({ status }) => status === 503).length;
  const accepted = sample.calls.filter(({ status }) => status === 201);
  const requests = new Set(sample.calls.map(({ request }) => request)).size;
  assert.equal(
    rowOf(run, "requests")[1],
    `${requests} in ${sample.calls.length} attempts, of which ${failed} failed (${failed} × 503)`,
  );
  const recipients = sum(accepted.map(({ events }) => events![0]!.to.length));
  assert.equal(rowOf(run, "events accepted")[1], `${accepted.length}, for ${recipients} recipients in all`);
  const lost = sample.deliveries.filter(({ answer }) => answer === "lost").length;
  assert.match(rowOf(run, "provider calls")[1]!, new RegExp(`^${sample.deliveries.length}, of which ${lost} repeated`));
  assert.equal(rowOf(run, "live inboxes")[1], "2, which connected 2 times and received 240 messages");
  assert.equal(rowOf(run, "seed")[1], "7");
  assert.equal(rowOf(run, "load")[1], "2.0 minutes, then 5.0 s until everything was at rest and read");
  assert.match(run, /The run caused 3 failures of 3 kinds\./);
  assert.match(run, /Some were in effect at the same time: `kill-database` and `provider-hangs` \(1 time\)\./);
});

test("each failure has its failed attempts, the longest time without a 201, and its recovery", () => {
  const failures = fine.section("Failures and what clients noticed");
  const failed = sample.calls.filter(({ status }) => status === 503).length;
  // The 201s before and after the outage, which the sample gives as its only pause.
  const times = sample.calls.filter(({ status }) => status === 201).map(({ endedAt }) => endedAt);
  const sorted = times.toSorted((a, b) => a - b);
  const pause = Math.max(...sorted.slice(1).map((time, index) => time - sorted[index]!));
  const killed = rowOf(failures, "[`kill-database`]");
  assert.deepEqual(killed.slice(1, 5), ["1", "10 s", String(failed), `${Math.round(pause / 1_000)} s`]);
  const stopped = rowOf(failures, "[`stop-thread`]");
  assert.deepEqual(stopped.slice(1, 4), ["1", "2.0 s", "0"]);
  assert.equal(stopped[5], "0.5 s", "the thread was stopped alone");
  assert.equal(killed[5], "–", "PostgreSQL was not killed alone");
  assert.equal(stopped[6], "at once");
  assert.match(fine.page, /Latency and failed requests before, during and after this failure\]\(.*kill-database\.svg/);
});

test("a break whose cause is fixed is explained", async () => {
  const audit = { ...sample.audit!, verdicts: [kept("one", 5), broken("three")] };
  const explains = {
    ...{ seed: sample.run.seed, date: "2026-11-18 20:00 UTC", breaks: { three: 7 } },
    how: "The version before lost a row.",
  };
  const finding = {
    ...{ foundOn: "2026-11-18", by: "run" as const, seed: "7", what: "A row was lost.", commit: "abc1234" },
    explains,
  };
  const resultWith = async (findings: Finding[]) =>
    (await report({ ...sample, audit }, { promises: [], findings })).section("Result");
  const result = await resultWith([finding]);
  assert.match(result, /Each break is explained below/);
  assert.match(result, /\*\*Explained\.\*\* The version before lost a row\. Fixed in `abc1234`\./);
  const others = [
    { ...finding, commit: "open" },
    { ...finding, explains: { ...explains, seed: 0 } },
    { ...finding, explains: { ...explains, date: "2026-11-19 20:00 UTC" } },
    { ...finding, explains: { ...explains, breaks: { three: 6 } } },
    { ...finding, explains: { ...explains, breaks: { one: 7 } } },
  ];
  for (const other of others) assert.ok(!(await resultWith([other])).includes("xplained"));
});

test("without a break, the number of comparisons is stated", () => {
  assert.match(
    fine.section("Result"),
    /^## Result\n\nNo promise was broken\. The auditor tried 2 promises with 1,234 comparisons\./,
  );
  assert.deepEqual(rowOf(fine.section("Promises"), "one:").slice(1, 3), ["1,200", "0"]);
});

test("a broken promise comes first, in bold, with its details", async () => {
  const audit = { ...sample.audit!, verdicts: [kept("one", 5), broken("three"), kept("two", 6)] };
  const { section } = await report({ ...sample, audit });
  const result = section("Result");
  assert.match(result, /^## Result\n\n\*\*1 of 3 promises was broken\.\*\* The auditor made 23 comparisons\./);
  assert.ok(!result.includes("No promise was broken"));
  assert.match(result, /\*\*Broken: three\. .*\*\* 7 of 12 comparisons failed\./);
  assert.match(result, /- “a row was lost”, 42\.5 s after the start, during `kill-database` \(\{"id":4711\}\)/);
  assert.match(result, /- and 6 more/);
  assert.ok(!result.includes("Explained"));
  const rows = section("Promises")
    .split("\n")
    .filter((line) => line.startsWith("| "));
  assert.match(rows[1]!, /^\| three: .*\| 12 \| \*\*7\*\* \|/);
});

const broken = (promise: string) => ({
  ...kept(promise, 12),
  brokenCount: 7,
  broken: [{ what: "a row was lost", at: start + 42_500, faults: ["kill-database" as const], detail: { id: 4711 } }],
});

test("promises and failures that were not tried are named", async () => {
  const audit = { ...sample.audit!, verdicts: [kept("one", 5), kept("four", 0)] };
  const promises = [
    { id: "one", title: "One" },
    { id: "five", title: "The fifth promise" },
  ];
  const { section } = await report({ ...sample, audit }, { ...noExtras, promises });
  const text = section("Result").replaceAll("\n", " ");
  assert.match(text, /This run did not try 2 promises, .*: “The promise four is kept” and “The fifth promise”\./);
  for (const id of ["four", "five"]) assert.equal(rowOf(section("Promises"), `${id}:`)[2], "not tried");
  const run = section("What was run").replaceAll("\n", " ");
  assert.match(run, /not made:\*\* {2}- `disk-full`: “needs root”/);
  assert.match(run, /Not part of this run: `kill-process`, .*`upgrade`, .* and `provider-loses-answers`\./);
});

test("a run without an audit, with an audit of another run, or with a promise that nothing tried claims nothing", async () => {
  const resultOf = async (audit: Sample["audit"]) => (await report({ ...sample, audit })).section("Result");
  assert.match(await resultOf(null), /\*\*No auditor has judged this run\./);
  assert.match(await resultOf({ ...sample.audit!, seed: 8 }), /\*\*The audit is of a run with the seed 8/);
  const untried = await resultOf({ ...sample.audit!, verdicts: [kept("one", 0)] });
  assert.match(untried, /\*\*No promise was tried\.\*\*/);
  for (const text of [await resultOf(null), untried]) assert.ok(!text.includes("No promise was broken"));
});

test("a run that did not come to rest is said to be one", async () => {
  const loadOf = async (isDrained?: boolean) => {
    const { section } = await report({ ...sample, run: { ...sample.run, isDrained } });
    return rowOf(section("What was run"), "load")[1]!;
  };
  assert.match(await loadOf(false), /\*\*Something was still in progress\*\*$/);
  assert.doesNotMatch(await loadOf(), /at rest|in progress/);
});

test("a run that was cut off has no report", async () => {
  const cut = { ...sample, run: { ...sample.run, loadEndedAt: 0, endedAt: 0 } };
  await assert.rejects(report(cut), /was cut off/);
});

test("which occurrence is shown, and of how many, is said", async () => {
  const chosenOf = async (faults: Sample["faults"]) => {
    const text = (await report({ ...sample, faults })).section("Each kind from close up").replaceAll("\n", " ");
    return [...text.matchAll(/(?:The only|The worst)[^“]* hit/g)].map(([one]) => one);
  };
  const [killed, hung, stopped] = sample.faults;
  const later = (ms: number) => ({ ...stopped!, startedAt: stopped!.startedAt + ms, endedAt: stopped!.endedAt + ms });
  const shared = later(-44_000);
  assert.deepEqual(await chosenOf([killed!, hung!, stopped!]), Array(3).fill("The only occurrence hit"));
  const [, , one] = await chosenOf([killed!, hung!, stopped!, shared]);
  assert.equal(one, "The only one of 2 occurrences with no other failure around it hit");
  const [, , two] = await chosenOf([killed!, hung!, stopped!, shared, later(20_000)]);
  assert.equal(two, "The worst of the 2 (of 3) occurrences with no other failure around them hit");
  assert.deepEqual(await chosenOf([killed!, { ...killed! }]), ["The worst of 2 occurrences hit"]);
});

test("requests that were never accepted, and messages that no stream brought, are counted", async () => {
  const calls = sample.calls.filter(({ request, status }) => request !== "r90" || status !== 201);
  const streams = sample.streams.filter(({ text }) => text !== "red-now-3");
  const { section } = await report({ ...sample, calls, streams });
  assert.match(section("Result"), /\*\*1 request was never accepted\*\*/);
  // That of the request which was not accepted is not expected.
  assert.match(
    section("Latency through the whole run").replaceAll("\n", " "),
    / 1 message for people with a live inbox did not come/,
  );
});

const hostile =
  '</text><script>alert(1)</script> | & "x" `y` **z** [a](javascript:b) ![c](d) @ada \n# h\u0000\u2028 ]]>';

test("hostile texts have no effect in the page or in the pictures", async () => {
  const audit = { ...sample.audit!, verdicts: [{ ...broken(hostile), title: hostile, note: hostile }] };
  audit.verdicts[0]!.broken[0]!.what = hostile;
  const faults = sample.faults.map((one) => ({ ...one, target: hostile, detail: hostile }));
  faults[3]!.problem = hostile;
  const run = { ...sample.run, versions: { tidings: hostile, node: hostile, postgres: hostile } };
  const findings = [{ foundOn: "2026-11-18", by: "run" as const, seed: hostile, what: hostile, commit: "abc1234" }];
  const { page, pictures } = await report({ ...sample, run, audit, faults }, { promises: [], findings });
  assert.match(page, /The run caused 3 failures/);
  assert.doesNotMatch(page, /could not be read/);
  assert.doesNotMatch(page, /<script|\n# h|@ada|[^\\]`y|[^\\]\*\*z|\]\(javascript/);
  assert.doesNotMatch(page.replaceAll("![", ""), /(?<!\\)!\\?\[c/);
  const widths = (title: string) => {
    const lines = page.slice(page.indexOf(`\n## ${title}\n`)).split("\n");
    const table = lines.slice(lines.findIndex((line) => line.startsWith("|")));
    const rows = table.slice(
      0,
      table.findIndex((line) => !line.startsWith("|")),
    );
    return new Set(rows.map((row) => row.replaceAll("\\|", "").split("|").length));
  };
  for (const title of ["What was run", "Promises", "What was found and fixed"])
    assert.equal(widths(title).size, 1, `${title}: every row has the same cells`);
  for (const [name, svg] of pictures) {
    assert.deepEqual(problemsOfXml(svg), [], name);
    assert.ok(!svg.includes("<script"), name);
  }
});

test("there is a picture of the whole run and one of each kind, as XML, and small", () => {
  const names = ["kill-database.svg", "provider-hangs.svg", "stop-thread.svg", "timeline.svg"];
  assert.deepEqual([...fine.pictures.keys()].toSorted(), names);
  for (const [name, svg] of fine.pictures) {
    assert.deepEqual(problemsOfXml(svg), [], name);
    assert.ok(Buffer.byteLength(svg) < 60_000, `${name} has ${Buffer.byteLength(svg)} bytes`);
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/, name);
    assert.ok(fine.page.includes(`](images/proof/${name})`), `the page shows ${name}`);
  }
  assert.deepEqual(problemsOfXml("<a b='1'><c></a>"), ["</a> closes <c>", "<a> is not closed"]);
});

test("a run without requests and failures has a report", async () => {
  const { section, pictures } = await report({ ...sample, calls: [], streams: [], deliveries: [], faults: [] });
  assert.match(section("Failures and what clients noticed"), /No failure was caused in this run/);
  assert.doesNotMatch(pictures.get("timeline.svg")!, /NaN|Infinity|undefined/);
});

test("the page is wrapped and in natural English", async () => {
  const finding = { foundOn: "2026-11-18", seed: "7, failover", what: "A row was lost.", commit: "open" };
  const findings = [
    { ...finding, by: "run" as const },
    { ...finding, by: "simulation" as const },
  ];
  const audit = { ...sample.audit!, verdicts: [broken("one"), kept("two", 0)] };
  const other = await report({ ...sample, audit }, { promises: [], findings });
  const found = other.section("What was found and fixed");
  assert.match(found, /\*\*not fixed\*\*/);
  assert.match(
    found.replaceAll("\n", " "),
    / found 1 bug in the service, and the .* of its core has found 1 more\. 2 of them are open\./,
  );
  for (const { page } of [fine, other, await report({ ...sample, audit: null })]) {
    assert.deepEqual(findingsIn({ path: "proof.md", text: proseOfMarkdown(page) }), []);
    assert.deepEqual(longLines("proof.md", page.replace("<!-- Generated ", "<!-- ")), []);
  }
});

test("docs/proof.md has the findings of findings.ts, which `npm run chaos:report -- --findings` writes", () => {
  const page = readFileSync(join(root, "docs/proof.md"), "utf8");
  assert.equal(page, replaceFindings(page, findings));
  for (const { test } of findings) assert.ok(test === undefined || existsSync(join(root, test)), test);
});

test("the table of docs/promises.md has the promises of the auditor, in its order", () => {
  const listed = readPromises(join(root, "docs/promises.md"));
  assert.deepEqual(
    listed,
    promises.map(({ id, title }) => ({ id, title })),
  );
});
