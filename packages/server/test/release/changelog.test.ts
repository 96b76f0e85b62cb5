// The format of CHANGELOG.md, and what a release does to it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  bumpFor,
  changelogProblems,
  countUnreleased,
  cutChangelog,
  releaseNotes,
} from "../../../../scripts/release/changelog.ts";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("CHANGELOG.md has its format, and the version of package.json", () => {
  const text = read("CHANGELOG.md");
  assert.deepEqual(changelogProblems(text), []);
  const { version } = JSON.parse(read("package.json"));
  assert.ok(releaseNotes(text, version), `there is a section for ${version}`);
});

/** A correct changelog, in which single lines are replaced. */
const sample = (changes: Record<string, string> = {}): string => {
  const lines = [
    "# Changelog",
    "",
    "## [Unreleased]",
    "",
    "### Added",
    "",
    "- Something new.",
    "",
    "### Fixed",
    "",
    "- Something old.",
    "",
    "## [0.2.0-rc.1] - 2026-12-01",
    "",
    "### Changed",
    "",
    "- A change.",
    "",
    "## [0.1.0] - 2026-11-17",
    "",
    "The first version.",
    "",
    "### Added",
    "",
    "- Everything.",
    "",
  ];
  for (const [line, text] of Object.entries(changes)) {
    assert.ok(lines.includes(line), line);
    lines[lines.indexOf(line)] = text;
  }
  return lines.join("\n");
};

test("a correct changelog has no problems", () => {
  assert.deepEqual(changelogProblems(sample()), []);
  assert.deepEqual(changelogProblems(cutChangelog(sample(), "0.2.0", "2026-12-02")), []);
});

const problems: [name: string, changes: Record<string, string>, problem: RegExp][] = [
  ["another title", { "# Changelog": "# Changes" }, /line 1: the title/],
  ["a missing Unreleased", { "## [Unreleased]": "## [0.3.0] - 2026-12-02" }, /line 3: the first section/],
  ["Unreleased without brackets", { "## [Unreleased]": "## Unreleased" }, /line 3: the first section/],
  ["a second Unreleased", { "## [0.1.0] - 2026-11-17": "## [Unreleased]" }, /line 19: there is one section/],
  ["a heading that is not a version", { "## [0.1.0] - 2026-11-17": "## [v0.1] - 2026-11-17" }, /line 19: a section is/],
  ["a version without a date", { "## [0.1.0] - 2026-11-17": "## [0.1.0]" }, /line 19: a version has its date/],
  ["a day that does not exist", { "## [0.1.0] - 2026-11-17": "## [0.1.0] - 2026-02-30" }, /line 19: a version has its/],
  ["versions in the wrong order", { "## [0.1.0] - 2026-11-17": "## [0.2.0] - 2026-11-17" }, /0\.2\.0 is below/],
  ["dates in the wrong order", { "## [0.1.0] - 2026-11-17": "## [0.1.0] - 2026-12-24" }, /0\.1\.0 is dated after/],
  ["an unknown group", { "### Changed": "### Improved" }, /line 15: a group is one of Added/],
  ["groups in the wrong order", { "### Fixed": "### Added" }, /line 9: groups come once, in the order/],
  ["a group without changes", { "- A change.": "" }, /line 15: a group without changes/],
  ["a change of two lines", { "- A change.": "- A change\n  that goes on." }, /line 18: a change is one line/],
  ["a change without a group", { "The first version.": "- The first version." }, /line 21: a change is in a group/],
  ["a long change", { "- A change.": `- ${"A long change. ".repeat(11)}.` }, /line 17: \d+ columns, 160 at most/],
  ["a change without a full stop", { "- A change.": "- A change" }, /line 17: a change is a sentence/],
];

for (const [name, changes, problem] of problems) {
  test(`the format refuses ${name}`, () => {
    assert.match(changelogProblems(sample(changes)).join("\n"), problem);
  });
}

test("a cut gives everything unreleased to the version", () => {
  const cut = cutChangelog(sample(), "0.2.0", "2026-12-02");
  assert.equal(countUnreleased(sample()), 2);
  assert.equal(countUnreleased(cut), 0);
  assert.equal(releaseNotes(cut, "0.2.0"), "### Added\n\n- Something new.\n\n### Fixed\n\n- Something old.\n");
  assert.equal(releaseNotes(cut, "0.1.0"), "The first version.\n\n### Added\n\n- Everything.\n");
  assert.equal(releaseNotes(cut, "0.3.0"), null);
});

const bumped: [changes: Record<string, string>, isStable: boolean, bump: string][] = [
  [{}, false, "minor"],
  [{}, true, "minor"],
  [{ "### Added": "", "- Something new.": "" }, true, "patch"],
  [{ "- Something new.": "- **Breaking:** something new." }, true, "major"],
  [{ "- Something old.": "- **Breaking:** something old." }, false, "minor"],
];

for (const [changes, isStable, bump] of bumped) {
  test(`${JSON.stringify(changes)} ${isStable ? "after" : "before"} 1.0.0 is a ${bump} version`, () => {
    assert.equal(bumpFor(sample(changes), isStable), bump);
  });
}
