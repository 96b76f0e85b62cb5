// Groups of test files that share a process: loading the service takes two seconds of a core, more than the tests of most
// files. The files of a group run one after the other, each with services and databases of its own. Files without a service are one
// group more.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Files that share something costly are in groups of their own; a file belongs to the first kind whose mark it has. */
const kinds: { mark: string; groups: number }[] = [
  // All operations: the schemas of their input and answers take five seconds of a core to compile, once for each process.
  { mark: "Object.values(operations)", groups: 1 },
  // A browser: each process starts one.
  { mark: "browserTest(", groups: 3 },
  { mark: "", groups: 8 },
];

/** Writes a program for each group of files with services into the folder, and returns their names. */
export function groupFiles(files: string[], folder: string): string[] {
  const kindOf = (file: string) => {
    const text = readFileSync(file, "utf8");
    return kinds.find(({ mark }) => text.includes(mark))!;
  };
  const byKind = Map.groupBy(files, kindOf);
  const [whole, browser, rest] = kinds.map((kind) => divide(byKind.get(kind) ?? [], kind.groups));
  // In turn, so that browsers seldom run side by side.
  const inTurn = browser!.flatMap((one, index) => [one, ...rest!.slice(3 * index, 3 * index + 3)]);
  return [...whole!, ...inTurn].map((members, index) => {
    const name = join(folder, `group-${String(index + 1).padStart(2, "0")}.test.ts`);
    writeFileSync(name, programFor(members));
    return name;
  });
}

/** Lists of about the same weight. */
function divide(files: string[], count: number): string[][] {
  const bins = Array.from({ length: count }, () => ({ weight: 0, members: [] as string[] }));
  const weighed = files.map((file) => ({ file, weight: weightOf(file) }));
  for (const { file, weight } of weighed.sort((a, b) => b.weight - a.weight || a.file.localeCompare(b.file))) {
    const lightest = bins.reduce((least, bin) => (bin.weight < least.weight ? bin : least));
    lightest.members.push(file);
    lightest.weight += weight;
  }
  return bins.map(({ members }) => members);
}

/** The same for files that start no service: what they open ends with a test, or with the process. */
export function plainGroup(files: string[], folder: string): string {
  const name = join(folder, "group-plain.test.ts");
  writeFileSync(name, files.map((file) => `await import(${JSON.stringify(addressOf(file))});\n`).join(""));
  return name;
}

/** What takes time besides the size of a file; starting a service counts as much as some 250 lines. */
const weights: [mark: string, weight: number][] = [
  ["startTestService(", 10_000],
  ["browserTest(", 20_000],
  ["expectAccessible(", 10_000],
];

function weightOf(file: string): number {
  const text = readFileSync(file, "utf8");
  return weights.reduce((sum, [mark, weight]) => sum + weight * (text.split(mark).length - 1), text.length);
}

const addressOf = (file: string): string => pathToFileURL(file).href;

const programFor = (members: string[]): string => `
import { AsyncResource } from "node:async_hooks";
import { test } from "node:test";
import { beginGroup, endFile, endGroup } from ${JSON.stringify(addressOf("packages/server/test/support/at-end.ts"))};

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
await root.runInAsyncScope(() => test("end of the group", endGroup));
clearInterval(awake);
`;
