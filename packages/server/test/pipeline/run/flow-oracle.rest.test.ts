// Workflows with branches, waits, experiments and delays, in random scenarios on a test clock, against an interpreter
// (flow-model.ts). Random signals, marks and times: every run sends exactly what the interpreter sends, at the same
// time, and ends once. `ORACLE_RUNS=100` tries more, `ORACLE_SEED=7` repeats one.
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { chooseSeed } from "@tidings/testkit/long";
import { shareService } from "@tidings/testkit/service";
import { playFlow, startTime } from "./flow-play.ts";

const service = await shareService();

const { ORACLE_RUNS = "4", ORACLE_SEED } = process.env;
const firstSeed = chooseSeed(1, ORACLE_SEED);
const count = ORACLE_SEED === undefined ? Number(ORACLE_RUNS) : 1;

test(`runs take the way that the interpreter takes: seeds from ${firstSeed}`, async () => {
  for (let run = 0; run < count; run++) await playFlow(await newStage(service, startTime), firstSeed + run);
});
