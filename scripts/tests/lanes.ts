// Lanes: the few processes that run all test files. Loading the service takes two seconds of a core, more than the
// tests of most files, so a lane runs one file after another, and takes the next file from a list that all lanes share:
// no core is idle while there is a file left.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Costs } from "./costs.ts";

/**
 * Files of a kind are best run by one lane, which begins with all of them; a file belongs to the first kind that it
 * fits.
 */
const kinds: { name: string; fits(file: string, costs: Costs): boolean }[] = [
  // Each process starts its own browser.
  { name: "browser", fits: (file) => /\b(?:browserTest|journey)\(/.test(readFileSync(file, "utf8")) },
  // Files that wait most of the time: a core has time for them while others compute.
  { name: "waiting", fits: (file, { cpuOf, wallOf }) => wallOf(file) >= 3 && cpuOf(file) < 0.4 * wallOf(file) },
  { name: "rest", fits: () => true },
];

export type LaneFile = { name: string; address: string; kind: string; limitMs: number };

/** What a lane needs: the files in its own order, and the folder of the run. */
export type Lane = { files: LaneFile[]; folder: string };

/** What a lane notes about a file that it has run. */
export type Ran = { file: string; cpu: number; wall: number };

/** Lanes that work: with one more than there are cores, a lane that waits leaves no core idle. */
const maxLanes = Math.min(availableParallelism() + 1, 8);

/** Files of the run, by the part of its folder: marks of files that a lane has taken, and what runs right now. */
export const claimsOf = (folder: string): string => join(folder, "claims");
export const runningOf = (folder: string): string => join(folder, "running");
export const ranOf = (folder: string): string => join(folder, "ran.jsonl");
export const endedOf = (folder: string): string => join(folder, "ended.txt");
export const reachOf = (folder: string): string => join(folder, "reach");

/** A file may take many times longer than it was recorded with: a machine has other work too. */
const limitOf = (recordedSeconds: number, atLeastMs: number): number => Math.max(atLeastMs, 12_000 * recordedSeconds);

/** Writes the programs that run the files, and returns their names. */
export function writePrograms(files: string[], folder: string, costs: Costs, atLeastMs: number): string[] {
  const described = files.map((file) => ({ ...describe(file, costs, atLeastMs), cpu: costs.cpuOf(file) }));
  // A dear file that begins last would keep one core busy after all others are done.
  const dearestFirst = described.toSorted((a, b) => b.cpu - a.cpu || a.name.localeCompare(b.name));
  return lanesFor(dearestFirst).map((kind, index) => {
    const own = dearestFirst.filter((file) => file.kind === kind);
    // The files of other kinds come last, because they cost this lane what the lane of their kind has already paid for.
    const others = kinds.toReversed().filter(({ name }) => name !== kind);
    const rest = others.flatMap(({ name }) => dearestFirst.filter((file) => file.kind === name));
    return writeLane(`${index + 1}-${kind}`, [...own, ...rest], folder);
  });
}

/** Writes the program of one lane, and returns its name. */
export function writeLane(name: string, files: LaneFile[], folder: string): string {
  for (const part of [claimsOf, runningOf, reachOf]) mkdirSync(part(folder), { recursive: true });
  const program = join(folder, `lane-${name}.test.ts`);
  const lane: Lane = { files, folder };
  writeFileSync(
    program,
    `import { runLane } from ${JSON.stringify(addressOf("scripts/tests/lane.ts"))};\nawait runLane(${JSON.stringify(lane)});\n`,
  );
  return program;
}

/** The kind that each lane begins with: one lane for each kind, and more for the largest one. */
function lanesFor(files: LaneFile[]): string[] {
  const present = kinds.map(({ name }) => name).filter((name) => files.some(({ kind }) => kind === name));
  // A lane of waiting files hardly needs a core.
  const count = Math.min(maxLanes + Number(present.includes("waiting")), files.length);
  return Array.from({ length: count }, (_, index) => present[index] ?? "rest");
}

const addressOf = (file: string): string => pathToFileURL(file).href;

function describe(file: string, costs: Costs, atLeastMs: number): LaneFile {
  const kind = kinds.find(({ fits }) => fits(file, costs))!.name;
  const limitMs = limitOf(costs.wallOf(file), atLeastMs);
  return { name: relative(".", file).replaceAll("\\", "/"), address: addressOf(file), kind, limitMs };
}
