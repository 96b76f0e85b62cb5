// Groups of test files that share a process: loading the service takes two seconds of a core, more than the tests of most
// files. The files of a group run one after the other, each with services and databases of its own.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const groups = 24;

/** Writes a program for each group into the folder, and returns their names. */
export function groupFiles(files: string[], folder: string): string[] {
  const bins = Array.from({ length: groups }, () => ({ weight: 0, members: [] as string[] }));
  const weighed = files.map((file) => ({ file, weight: weightOf(file) }));
  for (const { file, weight } of weighed.sort((a, b) => b.weight - a.weight || a.file.localeCompare(b.file))) {
    const lightest = bins.reduce((least, bin) => (bin.weight < least.weight ? bin : least));
    lightest.members.push(file);
    lightest.weight += weight;
  }
  return bins.map(({ members }, index) => {
    const name = join(folder, `group-${String(index + 1).padStart(2, "0")}.test.ts`);
    writeFileSync(name, programFor(members));
    return name;
  });
}

/** The time of a file is estimated from its size; starting a service counts as much as some 250 lines. */
const weightOf = (file: string): number =>
  statSync(file).size + 10_000 * (readFileSync(file, "utf8").split("startTestService(").length - 1);

const addressOf = (file: string): string => pathToFileURL(file).href;

const programFor = (members: string[]): string => `
import { AsyncResource } from "node:async_hooks";
import { test } from "node:test";
import { beginGroup, endFile } from ${JSON.stringify(addressOf("packages/server/test/support/at-end.ts"))};

const members = ${JSON.stringify(members.map((file) => ({ name: relative(".", file), address: addressOf(file) })))};
beginGroup();
// The runner counts tests that begin after an awaited one as its subtests. With this scope, those of the next file are not.
const root = new AsyncResource("group");
// Keeps the process alive while a test waits for an unreferenced timer.
const awake = setInterval(() => {}, 60_000);
for (const { name, address } of members) {
  await root.runInAsyncScope(() => import(address));
  await root.runInAsyncScope(() => test("end of " + name, endFile));
}
clearInterval(awake);
`;
