// The scenarios of flow-oracle.rest.test.ts while the workers are killed at random moments: every run still takes the
// way that the interpreter takes, and ends once. `ORACLE_RUNS` and `ORACLE_SEED` as there.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { createRandom } from "@tidings/testkit/load/random";
import { chooseSeed, skipUnlessLong } from "@tidings/testkit/long";
import { temporaryFolder } from "@tidings/testkit/process";
import { superviseWorkers } from "@tidings/testkit/programs/kills";
import { startTestService } from "@tidings/testkit/service";
import { playFlow, startTime } from "./flow-play.ts";

const settings = { TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
/** It takes the requests; the work is done by processes that are killed. */
const service = await startTestService({ ...settings, TIDINGS_ROLE: "api" });

const { ORACLE_RUNS = "6", ORACLE_SEED } = process.env;
const firstSeed = chooseSeed(1, ORACLE_SEED);
const count = ORACLE_SEED === undefined ? Number(ORACLE_RUNS) : 1;

const title = `workers that are killed lose and repeat nothing: seeds from ${firstSeed}`;

test(title, { skip: skipUnlessLong }, async (context) => {
  const workers = await superviseWorkers(temporaryFolder(context), settings, service);
  for (let run = 0; run < count; run++) {
    const random = createRandom(firstSeed + run);
    await playFlow(await newStage(service, startTime), firstSeed + run, async () => {
      if (random.chance(0.3)) await workers.kill(random.below(60));
    });
  }
  await workers.stop();
  context.diagnostic(`${workers.kills()} workers were killed`);
  assert.ok(workers.kills() > 0);
});
