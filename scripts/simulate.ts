// `npm run simulate`: the core of the service under a simulated clock, scheduler and database, one seed after the
// other. `--seeds 2000` or `--minutes 5` says how many, `--from 1` where to begin, `--seed 17` runs one and prints what
// happened in it. `--mutation <name>` plants a fault. `--wrong 1` ends the run with the first wrong seed. The exit code
// is 1 when a promise was broken.
import { parseArgs } from "node:util";
import { loadSimulator } from "../packages/server/test/simulation/load.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    minutes: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    mutation: { type: "string" },
    wrong: { type: "string", default: "10" },
  },
});

const startedAt = process.hrtime.bigint();
const seconds = (): number => Number(process.hrtime.bigint() - startedAt) / 1e9;
const { runSeed } = await loadSimulator(values.mutation);

if (values.seed !== undefined) {
  const { broken, trace, steps } = await runSeed(Number(values.seed), true);
  for (const line of trace) console.log(line);
  console.log(`${steps} steps`);
  for (const line of broken) console.log(`broken: ${line}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
} else {
  const from = Number(values.from);
  const isOver = values.minutes
    ? () => seconds() > Number(values.minutes) * 60
    : (seed: number) => seed >= from + Number(values.seeds ?? 1_000);
  const loadedAt = seconds();
  let wrong = 0;
  let seed = from;
  for (; !isOver(seed) && wrong < Number(values.wrong); seed++) {
    const { broken } = await runSeed(seed);
    if (broken.length === 0) continue;
    wrong++;
    console.log(`seed ${seed}: ${broken.join("; ")}`);
  }
  const count = seed - from;
  const rate = Math.round(count / ((seconds() - loadedAt) / 60));
  console.log(`${count} seeds from ${from}, ${wrong} of them wrong, ${rate} seeds a minute`);
  process.exitCode = wrong > 0 ? 1 : 0;
}
