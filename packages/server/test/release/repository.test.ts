// What a hosting service reads from the repository: issue forms, updates of dependencies, attributes of files.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

type Item = {
  type: "markdown" | "textarea" | "input" | "dropdown" | "checkboxes";
  id?: string;
  attributes: { label?: string; value?: string; options?: unknown[]; render?: string };
  validations?: { required?: boolean };
};
type Form = { name: string; description: string; labels: string[]; body: Item[] };

const forms = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).filter((path) => basename(path) !== "config.yml");

test("there are forms for bugs, features and providers, and no empty issue", () => {
  assert.deepEqual(forms.map((path) => basename(path)).sort(), ["bug.yml", "feature.yml", "provider.yml"]);
  assert.deepEqual(parse(read(".github/ISSUE_TEMPLATE/config.yml")), { blank_issues_enabled: false });
});

for (const path of forms) {
  test(`${basename(path)}: every question has its id, a label, and choices where it is a list`, () => {
    const { name, description, labels, body } = parse(read(path)) as Form;
    assert.ok(name && description && labels.length > 0);
    const questions = body.filter(({ type }) => type !== "markdown");
    assert.ok(questions.some(({ validations }) => validations?.required));
    assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length, "ids are unique");
    for (const { type, id, attributes } of questions) {
      assert.match(id ?? "", /^[a-z]+$/);
      assert.ok(attributes.label, id);
      if (type === "dropdown" || type === "checkboxes") assert.ok((attributes.options?.length ?? 0) > 0, id);
    }
  });
}

test("packages, actions and images are updated, in groups", () => {
  type Update = { "package-ecosystem": string; directory: string; schedule: { interval: string }; groups?: object };
  const { version, updates } = parse(read(".github/dependabot.yml")) as { version: number; updates: Update[] };
  assert.equal(version, 2);
  const ecosystems = updates.map((update) => update["package-ecosystem"]);
  assert.deepEqual(ecosystems, ["npm", "github-actions", "docker", "docker-compose"]);
  for (const { schedule } of updates) assert.equal(schedule.interval, "weekly");
  assert.ok(Object.keys(updates[0]?.groups ?? {}).includes("runtime"), "all platforms get one Node");
});

test("generated files are marked, the changelog merges lines, and line ends are the same everywhere", () => {
  const lines = read(".gitattributes")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  assert.ok(lines.includes("* text=auto eol=lf"));
  assert.ok(lines.includes("CHANGELOG.md merge=union"));
  const marked = lines.flatMap((line) => /^(\S+) linguist-generated$/.exec(line)?.[1] ?? []);
  for (const pattern of marked.filter((one) => !one.includes("*"))) assert.ok(read(pattern).length > 0, pattern);
  const generated = globSync("docs/*.md", { cwd: root }).filter((path) =>
    /^<!-- Generated .*Do not edit/m.test(read(path)),
  );
  assert.ok(generated.length > 2, "the generated pages were found");
  for (const path of generated) assert.ok(marked.includes(path), path);
});
