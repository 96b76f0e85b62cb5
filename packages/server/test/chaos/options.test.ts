// The options of `npm run chaos`: what they mean, and errors that name the option.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../../../scripts/chaos/options.ts";

const now = new Date("2026-11-18T20:00:00Z");
const read = (line: string) => readOptions(line.split(" ").filter(Boolean), now);

test("a run is short, on two servers, with every fault and a random seed by default", () => {
  const { minutes, only, except, isEmbedded, isAudited, pace, folder, seed } = read("");
  assert.deepEqual(
    { minutes, only, except, isEmbedded, isAudited, pace },
    {
      ...{ minutes: 5, only: undefined, except: [], isEmbedded: false, isAudited: true, pace: 1 },
    },
  );
  assert.ok(folder.endsWith(`chaos-results/2026-11-18-${seed}`), folder);
  assert.notEqual(seed, read("").seed);
});

test("options choose the length, the seed, the faults and PostgreSQL", () => {
  assert.equal(read("--long").minutes, 60);
  assert.equal(read("--minutes 0.4 --seed 7").minutes, 0.4);
  assert.equal(read("--seed 7").seed, 7);
  assert.deepEqual(read("--faults failover,kill-process,failover").only, ["failover", "kill-process"]);
  assert.deepEqual(read("--faults=").only, []);
  assert.deepEqual(read("--embedded").except, ["kill-database", "restart-database", "failover", "disk-full"]);
  assert.equal(read("--keep evidence").folder, "evidence");
});

const wrong: [line: string, message: RegExp][] = [
  ["--minutes soon", /--minutes must be a number from 0\.25 to 1440/],
  ["--minutes 0.1", /--minutes must be/],
  ["--minutes=", /--minutes must be/],
  ["--seed 1.5", /--seed must be a whole number/],
  ["--seed -1", /--seed/],
  ["--pace 0", /--pace must be a number from 0\.04 to 100/],
  ["--faults failover,fire", /there is no fault "fire"\. Faults: kill-process, /],
  ["--embedded --faults failover,kill-process", /--embedded has no failover/],
  ["--hours 2", /--hours/],
];

for (const [line, message] of wrong) test(`${line} is refused`, () => assert.throws(() => read(line), { message }));
