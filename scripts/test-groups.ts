// Test files in groups, a process each: loading the service takes two seconds of a core, longer than most files need for
// their tests. Files of a group run one after the other, each with services and databases of its own.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const groups = 24;

/** Writes a program for each group into the folder, and answers their names. */
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

/** How long a file takes is guessed from its length; starting a service counts for as much as some 250 lines. */
const weightOf = (file: string): number =>
  statSync(file).size + 10_000 * (readFileSync(file, "utf8").split("startTestService(").length - 1);

const addressOf = (file: string): string => pathToFileURL(file).href;

const programFor = (members: string[]): string => `
import { AsyncResource } from "node:async_hooks";
import { test } from "node:test";
import { beginGroup, endFile } from ${JSON.stringify(addressOf("packages/server/test/support/at-end.ts"))};

const members = ${JSON.stringify(members.map((file) => ({ name: relative(".", file), address: addressOf(file) })))};
beginGroup();
// What follows an awaited test counts as part of it: tests of the next file would belong to the end of the last one.
const root = new AsyncResource("group");
// A test that waits for a timer which does not count would end the process, and with it the files behind it.
const awake = setInterval(() => {}, 60_000);
for (const { name, address } of members) {
  await root.runInAsyncScope(() => import(address));
  await root.runInAsyncScope(() => test("end of " + name, endFile));
}
clearInterval(awake);
`;
