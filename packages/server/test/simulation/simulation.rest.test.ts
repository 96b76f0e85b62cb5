// The core of the service under a simulated clock, scheduler and database: random scenarios with failures at every
// await (docs/decisions/0061-simulation.md). Each simulator has a separate process, because it replaces modules and
// globals. `npm run simulate -- --seed 17` shows what happened in one seed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { isLong } from "@tidings/testkit/long";
import { mutations } from "./mutations.ts";
import { regressions } from "./regressions.ts";

const run = promisify(execFile);

/** In the long run, seeds of the day for two minutes. Otherwise always the same, so that a failure is of the change. */
const seedOfDay = 1 + (Math.floor(Date.now() / 86_400_000) % 10_000) * 10_000;
const chosen = isLong ? ["--from", String(seedOfDay), "--minutes", "2"] : ["--from", "1", "--seeds", "400"];

/** Each planted error has to be found within so many seeds. */
const seedsPerMutation = 60;
/** The others take their turn in the long run. */
const quickMutations = 9;

/** The lines that `npm run simulate` prints, and whether it found something. */
async function simulate(...options: string[]): Promise<{ output: string; isWrong: boolean }> {
  try {
    const { stdout } = await run(process.execPath, ["scripts/simulate.ts", ...options], { maxBuffer: 2 ** 26 });
    return { output: stdout, isWrong: false };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout: string; stderr: string };
    assert.ok(code === 1 && stdout !== "", `the simulator failed: ${stderr}`);
    return { output: stdout, isWrong: true };
  }
}

test("no promise is broken, whatever goes wrong", async (context) => {
  const { output, isWrong } = await simulate(...chosen);
  context.diagnostic(output.trim());
  assert.ok(!isWrong, output);
  assert.match(output, /^[1-9]/, "seeds were run");
});

test("the seeds that found something find nothing now", async () => {
  const { output, isWrong } = await simulate("--only", regressions.map(([seed]) => seed).join(","));
  assert.ok(!isWrong, output);
});

test("a seed is repeated to the letter", async () => {
  const [first, second] = await Promise.all([simulate("--seed", "4"), simulate("--seed", "4")]);
  assert.equal(first.output, second.output);
});

describe("planted errors are found", { concurrency: 2 }, () => {
  for (const { name, firstSeed: from = 1 } of mutations.slice(0, isLong ? undefined : quickMutations)) {
    test(name, async () => {
      const range = ["--from", String(from), "--seeds", String(seedsPerMutation), "--wrong", "1"];
      const { output, isWrong } = await simulate("--mutation", name, ...range);
      assert.ok(isWrong, `not found: ${output}`);
    });
  }
});
