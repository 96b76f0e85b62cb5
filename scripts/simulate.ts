// `npm run simulate`: the core of the service under a simulated clock, scheduler and database, one seed after the
// other. `--seeds 2000` or `--minutes 5` says how many, `--from 1` where to begin, `--seed 17` runs one and prints what
// happened in it, `--only 3,17` runs some. `--mutation <name>` plants an error. `--wrong 1` ends the run with the first
// wrong seed. The exit code is 1 when a promise was broken.
import { parseArgs } from "node:util";
import { loadSimulator } from "../packages/server/test/simulation/load.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    minutes: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    only: { type: "string" },
    mutation: { type: "string" },
    wrong: { type: "string", default: "10" },
  },
});

const startedAt = process.hrtime.bigint();
const seconds = (): number => Number(process.hrtime.bigint() - startedAt) / 1e9;
const { runSeed } = await loadSimulator(values.mutation);

function* chosenSeeds(): Generator<number> {
  if (values.only !== undefined) return yield* values.only.split(",").map(Number);
  const from = Number(values.from);
  const count = Number(values.seeds ?? (values.minutes === undefined ? 1_000 : Number.POSITIVE_INFINITY));
  for (let seed = from; seed < from + count; seed++) yield seed;
}

if (values.seed !== undefined) {
  const { broken, trace, steps } = await runSeed(Number(values.seed), { hasTrace: true });
  for (const line of trace) console.log(line);
  console.log(`${steps} steps`);
  for (const line of broken) console.log(`broken: ${line}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
} else {
  const loadedAt = seconds();
  const isOver = () => values.minutes !== undefined && seconds() - loadedAt > Number(values.minutes) * 60;
  let wrong = 0;
  let count = 0;
  for (const seed of chosenSeeds()) {
    if (isOver() || wrong >= Number(values.wrong)) break;
    count++;
    const { broken } = await runSeed(seed);
    if (broken.length === 0) continue;
    wrong++;
    console.log(`seed ${seed}: ${broken.join("; ")}`);
  }
  const rate = Math.round(count / ((seconds() - loadedAt) / 60));
  console.log(`${count} seeds, ${wrong} of them wrong, ${rate} seeds a minute`);
  process.exitCode = wrong > 0 ? 1 : 0;
}
