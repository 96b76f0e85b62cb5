import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  builtBy,
  contractPatterns,
  type FoundRegex,
  literalsOf,
  sourceFiles,
  superLinearity,
} from "./support/regexes.ts";

/** Expressions that may take super-linear time, with the reason why they are safe. */
const allowed: Record<string, string> = {};

/** Files that build expressions at run time, with the reason why they are safe. */
const buildsLater: Record<string, string> = {
  "packages/providers/src/sms/azure-sms.ts": "a member's name of a connection string, in a pattern for one separator",
  "packages/providers/src/sms/sns.ts": "an element's name, in a pattern without repetition of a repetition",
  "packages/server/src/http/route-errors.ts": "the paths of routes, one `[^/]+` between slashes each",
};

const pathOf = (file: string): string => file.slice(file.indexOf("packages/")).replaceAll("\\", "/");
const building = sourceFiles.filter((file) => readFileSync(file, "utf8").includes("new RegExp("));

test("the analyser sees what it is here for", () => {
  const bad = [/\S+@\S+/, /^\s*(\S*)\s*(.*?)\s*$/, /^(a+)+$/, /\s+$/, /(?:a|a)*b/];
  for (const regex of bad) assert.ok(superLinearity(regex), `${regex}`);
  for (const regex of [/^[a-z]+$/, /(?<!\s)\s+$/, /\s/]) assert.equal(superLinearity(regex), null, `${regex}`);
  const literals = sourceFiles.flatMap(literalsOf);
  assert.ok(literals.length > 200, "literals were found");
});

test("no regular expression of the sources takes more time than a text is long", async () => {
  const loaded = building.filter((file) => !Object.hasOwn(buildsLater, pathOf(file)));
  const built: FoundRegex[] = [];
  for (const file of loaded) built.push(...(await builtBy(file)));
  assert.ok(built.length >= loaded.length, "what modules build when they are loaded was seen");
  const all = [...sourceFiles.flatMap(literalsOf), ...built, ...contractPatterns()];
  const bad = all.flatMap(({ file, regex }) => {
    const kinds = superLinearity(regex);
    return kinds && !Object.hasOwn(allowed, `${regex}`) ? [`${file} ${regex}: ${kinds}`] : [];
  });
  assert.deepEqual(bad, []);
});

test("files that build expressions later are those that are listed", () => {
  const listed = Object.keys(buildsLater);
  assert.deepEqual(
    listed.filter((file) => !building.some((one) => pathOf(one) === file)),
    [],
  );
});
