// Lanes: the few processes that run all test files. Loading the service takes two seconds of a core, more than the
// tests of most files, so a lane runs one file after another, and takes the next file from a list that all lanes share:
// no core is idle while there is a file left.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Files of a kind share something costly, so one lane begins with all of them; a file belongs to the first kind whose
 * mark it has.
 */
const kinds: { name: string; mark: string }[] = [
  // A browser: each process starts its own.
  { name: "browser", mark: "browserTest(" },
  // All operations: the schemas of their input and responses take five seconds of a core to compile, once for each
  // process.
  { name: "operations", mark: "Object.values(operations)" },
  { name: "rest", mark: "" },
];

export type LaneFile = { name: string; address: string; kind: string };

/** What a lane needs: the files in its own order, and the folder in which lanes mark the files that they take. */
export type Lane = { files: LaneFile[]; folder: string; secondsFile: string };

/**
 * Seconds by file, recorded by `npm test -- --record`; a file that is not listed takes less than `minSeconds`, or is
 * new.
 */
const table = "scripts/test-seconds.json";
const minSeconds = 2;

/**
 * Writes the programs that run the files, and returns their names in the order in which they start, three at a time. A
 * single file runs alone.
 */
export function writePrograms(files: string[], folder: string): string[] {
  if (files.length === 1) return files;
  const plain = files.filter((file) => plainPackages.test(file));
  const suites = plain.filter((file) => file.endsWith("suite.test.ts"));
  const others = plain.filter((file) => !suites.includes(file));
  const [first, second, ...rest] = writeLanes(
    files.filter((file) => !plain.includes(file)),
    folder,
  );
  // Two lanes run from the first to the last file, and the third one after the files without a service.
  const programs = [first, second, ...suites, others.length > 0 && writePlainLane(others, folder), ...rest];
  return programs
    .filter((program) => typeof program === "string")
    .map((program, index) => inOrder(program, index, folder));
}

/** The runner starts files in the order of their names, so each one gets a number. */
function inOrder(program: string, index: number, folder: string): string {
  const numbered = join(folder, `${index + 1}-${basename(program)}`);
  writeFileSync(numbered, `await import(${JSON.stringify(addressOf(program))});\n`);
  return numbered;
}

/** Packages whose tests start no service. */
const plainPackages = /^packages\/(contract|inbox|providers)\//;

function writeLanes(files: string[], folder: string): string[] {
  const seconds = JSON.parse(readFileSync(table, "utf8")) as Record<string, number>;
  // A long file that begins last would keep one core busy after all others are done.
  const longestFirst = files
    .map((file) => ({ ...describeFile(file), seconds: seconds[relative(".", file)] ?? minSeconds }))
    .toSorted((a, b) => b.seconds - a.seconds || a.name.localeCompare(b.name));
  const claims = join(folder, "lanes");
  mkdirSync(claims);
  return kinds.slice(0, files.length).map(({ name }) => {
    const own = longestFirst.filter(({ kind }) => kind === name);
    // The files of other kinds come last, because they cost this lane what the lane of their kind has already paid for.
    const others = kinds.toReversed().filter((kind) => kind.name !== name);
    const rest = others.flatMap((kind) => longestFirst.filter((file) => file.kind === kind.name));
    const lane: Lane = { files: [...own, ...rest], folder: claims, secondsFile: secondsFileOf(folder) };
    const program = join(folder, `lane-${name}.test.ts`);
    writeFileSync(program, programFor(lane));
    return program;
  });
}

/** Files that start no service share a process: what they open ends with a test, or with the process. */
function writePlainLane(files: string[], folder: string): string {
  const program = join(folder, "lane-plain.test.ts");
  writeFileSync(program, files.map((file) => `await import(${JSON.stringify(addressOf(file))});\n`).join(""));
  return program;
}

/** Replaces the table of seconds with those that the lanes of this run measured. */
export function recordSeconds(folder: string): void {
  const lines = readFileSync(secondsFileOf(folder), "utf8").trim().split("\n");
  const measured = lines.map((line) => line.split("\t") as [string, string]);
  const long = measured.map(([file, seconds]) => [file, Math.round(Number(seconds))] as const);
  const entries = long.filter(([, seconds]) => seconds >= minSeconds).toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(table, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

const secondsFileOf = (folder: string): string => join(folder, "seconds.tsv");

const addressOf = (file: string): string => pathToFileURL(file).href;

function describeFile(file: string): LaneFile {
  const text = readFileSync(file, "utf8");
  const kind = kinds.find(({ mark }) => text.includes(mark))!.name;
  return { name: relative(".", file), address: addressOf(file), kind };
}

const programFor = (lane: Lane): string => `
import { runLane } from ${JSON.stringify(addressOf("scripts/test-lane.ts"))};
await runLane(${JSON.stringify(lane)});
`;
