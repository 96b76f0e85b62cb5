// Programs decide by codes: the dashboard, the inbox and the command line never compare with the sentences of the
// service.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../src/pipeline/steps/catalogue.ts";

const root = join(import.meta.dirname, "../../..");

const exceptions: Readonly<Record<string, string>> = {
  "packages/dashboard/src/fields/json-fault.ts": "reads the messages of the browser's JSON.parse, which have no codes",
  "packages/dashboard/src/api/api-error.ts": "does not repeat the name of a field, whatever the sentence is",
  "packages/cli/src/files/check-files.ts": "does not repeat the name of a field, whatever the sentence is",
};

const sentence = "(?:detail|reason|message|verdict|errorText|summary)";
const asked = new RegExp(`\\b${sentence}[?!]?\\.(?:includes|startsWith|endsWith|match|matchAll|search)\\(`);
const tested = new RegExp(`/[a-z]*\\.(?:test|exec)\\((?:\\w+[?!]?\\.)*${sentence}\\b`);

/** Texts of one or two words, such as "Message sent", are words of the interface as well. */
const texts = Object.values(catalogue)
  .map(({ text }) => text)
  .filter((text) => text.split(" ").length > 3);

const comparesSentences = (source: string): boolean =>
  asked.test(source) || tested.test(source) || texts.some((text) => source.includes(JSON.stringify(text)));

test("no client of the service compares with its sentences", () => {
  const files = globSync("packages/{dashboard,inbox,cli}/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(files.length > 300, "the sources were found");
  const found = files.filter((path) => comparesSentences(readFileSync(join(root, path), "utf8")));
  assert.deepEqual(found.sort(), Object.keys(exceptions).sort());
});

test("a comparison with a sentence is found, one with a code is not", () => {
  const caught = [
    'if (step.reason.includes("turned")) open();',
    "const isLate = /outside/i.test(explained.reason);",
    'const places = { "Step skipped by its condition": "step" };',
    'error.message?.startsWith("No")',
  ];
  for (const source of caught) assert.ok(comparesSentences(source), source);
  const fine = ['step.code === "no_email"', 'error.code?.startsWith("A")', "/a/.test(text)", "show(step.reason)"];
  for (const source of fine) assert.ok(!comparesSentences(source), source);
});
