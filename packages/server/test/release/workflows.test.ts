// The workflows of .github: valid for GitHub's own parser, pinned, with few permissions, and in line with what the
// release writes.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import type * as WorkflowParser from "@actions/workflow-parser";
import { build } from "esbuild";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

type Step = {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
};
type Job = {
  uses?: string;
  if?: string;
  needs?: string | string[];
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  steps?: Step[];
};
type Workflow = {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  concurrency: { group: string; "cancel-in-progress": boolean };
  jobs: Record<string, Job>;
};

const paths = globSync(".github/workflows/*.yml", { cwd: root });
const workflows = new Map(paths.map((path) => [basename(path), parse(read(path)) as Workflow]));
const { jobs } = workflows.get("release.yml")!;

/** GitHub's parser is published for bundlers: Node cannot load it without one. */
async function loadParser(): Promise<typeof WorkflowParser> {
  const folder = mkdtempSync(join(tmpdir(), "tidings-workflows-"));
  const outfile = join(folder, "parser.cjs");
  const stdin = { contents: 'export * from "@actions/workflow-parser"', resolveDir: import.meta.dirname };
  try {
    await build({ stdin, outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" });
    return createRequire(import.meta.url)(outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { parseWorkflow, NoOperationTraceWriter } = await loadParser();

/** Errors of syntax, unknown members and values, and expressions that cannot be evaluated at their place. */
const errorsIn = (name: string, content: string): string[] =>
  parseWorkflow({ name, content }, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map((error) => error.message);

test("GitHub's parser finds errors in members, permissions and expressions", () => {
  const content = `on: push
jobs:
  one:
    runs-on: ubuntu-24.04
    permissions: { contents: wrote }
    stepz: []
    steps:
      - run: echo \${{ variables.name }}
`;
  assert.deepEqual(errorsIn("wrong.yml", content), [
    "wrong.yml (Line: 5, Col: 30): Unexpected value 'wrote'",
    "wrong.yml (Line: 6, Col: 5): Unexpected value 'stepz'",
    "wrong.yml (Line: 8, Col: 14): Unrecognized named-value: 'variables'",
  ]);
});

for (const [name, workflow] of workflows) {
  test(`${name}: GitHub's parser accepts it`, () => {
    assert.deepEqual(errorsIn(name, read(`.github/workflows/${name}`)), []);
  });

  test(`${name}: actions of others are pinned by commit, each to one version`, () => {
    const lines = read(`.github/workflows/${name}`).split("\n");
    for (const line of lines.filter((one) => /\buses:/.test(one) && !/uses: \.\//.test(one)))
      assert.match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, line.trim());
  });

  test(`${name}: nobody's token can write unless its job says so`, () => {
    assert.ok(Object.values(workflow.permissions).every((permission) => permission === "read"));
    assert.ok(!("pull_request_target" in workflow.on), "code of strangers never sees secrets");
    assert.ok(workflow.concurrency.group);
    for (const [id, job] of Object.entries(workflow.jobs)) {
      assert.ok(job.uses ?? job["timeout-minutes"], `${id} has a time limit`);
      for (const { uses, run, with: inputs } of job.steps ?? []) {
        if (uses?.startsWith("actions/checkout@")) assert.equal(inputs?.["persist-credentials"], false, id);
        // An expression in a script is replaced before the shell reads it: a name could be a command.
        assert.doesNotMatch(run ?? "", /\$\{\{/, `${id}: pass values to scripts by env`);
      }
    }
  });
}

test("one action has one version in all workflows", () => {
  const used = paths.flatMap((path) => [...read(path).matchAll(/uses: ([\w-]+\/[\w-]+)@(.+)/g)]);
  const versions = Map.groupBy(used, (match) => match[1]!);
  for (const [name, matches] of versions) assert.equal(new Set(matches.map((match) => match[2])).size, 1, name);
});

test("ci runs .ci/run for every change, and a newer push ends the older run", () => {
  const ci = workflows.get("ci.yml")!;
  assert.ok(["push", "pull_request", "workflow_call"].every((event) => event in ci.on));
  assert.equal(ci.concurrency["cancel-in-progress"], true);
  assert.ok(ci.jobs.check?.steps?.some(({ run }) => run === ".ci/run"));
});

test("a release is checked first, and published at the end", () => {
  assert.equal(jobs.check?.uses, "./.github/workflows/ci.yml");
  const needed = (id: string): string[] => [jobs[id]?.needs ?? []].flat().flatMap((one) => [one, ...needed(one)]);
  for (const id of Object.keys(jobs)) if (id !== "check") assert.ok(needed(id).includes("check"), id);
  assert.deepEqual(new Set(needed("publish")), new Set(Object.keys(jobs).filter((id) => id !== "publish")));
  assert.deepEqual(workflows.get("release.yml")?.on, { push: { tags: ["v*.*.*"] } });
  assert.equal(workflows.get("release.yml")?.concurrency["cancel-in-progress"], false);
});

test("the image has both platforms, an SBOM, provenance and a signature", () => {
  const [build, sign] = jobs.image!.steps!.slice(-2);
  assert.deepEqual(
    [build?.with?.platforms, build?.with?.sbom, build?.with?.provenance],
    ["linux/amd64,linux/arm64", true, "mode=max"],
  );
  assert.equal(sign?.with?.["push-to-registry"], true);
});

test("packages are published only if a variable says that their names are ours", () => {
  assert.equal(jobs.npm?.if, "vars.NPM_PUBLISH == 'true'");
  const published = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.filter(({ run }) => run?.includes("npm publish")),
  );
  assert.equal(published.length, 1);
  assert.match(published[0]!.run!, /--provenance/);
});

test("no workflow names an owner of images: the repository decides", () => {
  for (const path of paths) assert.doesNotMatch(read(path), /ghcr\.io\/[a-z]/i, path);
});
