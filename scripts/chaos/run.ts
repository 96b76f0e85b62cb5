// `npm run chaos`: a service under load whose processes, database, network, disk, clocks and providers are broken by a
// plan, and an auditor that compares what clients saw with docs/promises.md.
//
//   npm run chaos                              5 minutes of load
//   npm run chaos -- --long                    60 minutes; --minutes n: others
//   npm run chaos -- --seed 7                  the plan and the load of an earlier run
//   npm run chaos -- --faults failover,kill-process        only these
//   npm run chaos -- --pace 2                  twice the load; 1 is about 25 events a second
//   npm run chaos -- --before <tag or commit>  the version before, for the fault "upgrade"; the last tag by default
//   npm run chaos -- --embedded                on the PostgreSQL of `npm start`, without faults that need two servers
//   npm run chaos -- --keep <folder>           where evidence goes; by default in /chaos-results (not committed)
//   npm run chaos -- --no-audit                --list and --plan print the faults, and the plan of a seed
//   npm run chaos -- --simulate …              the core under a simulated clock and disk (scripts/simulate.ts)
//
// Ends with 0 if all promises were kept, 1 if one was broken, 2 if the run itself failed, or did not come to rest.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { faults } from "./faults/all.ts";
import { type Options, readOptions, root } from "./options.ts";
import { makePlan } from "./plan.ts";
import { describePlan, runChaos } from "./session.ts";

const failed = 2;

async function main(args: string[]): Promise<number> {
  if (args[0] === "--simulate") return simulate(args.slice(1));
  let options: Options;
  try {
    options = readOptions(args, new Date());
  } catch (error) {
    console.error((error as Error).message);
    return failed;
  }
  if (options.prints === "list") {
    for (const [kind, { about }] of Object.entries(faults)) console.log(`${kind.padEnd(24)}${about}`);
    return 0;
  }
  const { seed, minutes, only, except } = options;
  const plan = makePlan({ seed, seconds: minutes * 60, only, except });
  console.log(describePlan(options, plan));
  if (options.prints === "plan") return 0;
  try {
    const result = await runChaos(options, plan);
    if (result === "unclear") console.error("\nSOMETHING WAS STILL IN PROGRESS when the run was judged.");
    return { kept: 0, broken: 1, unclear: failed }[result];
  } catch (error) {
    console.error("\nTHE RUN FAILED: this says nothing about the service.", error);
    return failed;
  }
}

async function simulate(args: string[]): Promise<number> {
  const program = join(root, "scripts/simulate.ts");
  if (!existsSync(program)) {
    console.error("this checkout has no scripts/simulate.ts");
    return failed;
  }
  const [code] = await once(spawn(process.execPath, [program, ...args], { stdio: "inherit" }), "exit");
  return code ?? failed;
}

// Exits in any case: what still waits is of no interest, and what runs is ended at the exit.
process.exit(await main(process.argv.slice(2)));
