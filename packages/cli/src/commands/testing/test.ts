// `tidings test`: scenario files on test clocks, each in a throw-away environment that has the workflows of the files.
import { resolve } from "node:path";
import { numberOption, refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { testedOptions } from "../../files/options.ts";
import type { TestedFiles } from "../../files/tested-files.ts";
import { plainText } from "../../output.ts";
import type { ScenarioFile } from "../../scenario/parse.ts";
import type { Outcome } from "../../scenario/report.ts";
import type { Session } from "../../session.ts";

export const test: Command = {
  usage: "[file or folder…] [--filter <text>] [--junit <file>] | --save <transaction> [--output <file>]",
  about:
    "Runs every *.yaml of the folder `scenarios`, or what is named, with the workflows and layouts of the files. If there is no\n" +
    "tidings.yaml, and with --remote, the workflows of the environment in use are tested. Each scenario has a new environment on a\n" +
    "test clock, which is deleted in the end. A message that no scenario expects is a failure.\n" +
    "--save writes a run of the activity as a scenario.",
  example:
    "tidings test --filter onboarding --junit report.xml\ntidings test --save txn_018f9a3c51d27f8e9b1c2d3e4f5a6b7c",
  options: {
    ...testedOptions,
    filter: { type: "string", value: "text", about: "Only scenarios whose name contains this" },
    parallel: { type: "string", value: "number", about: "How many run at once (default: 4)" },
    junit: { type: "string", value: "file", about: "Also write the result as JUnit XML" },
    save: { type: "string", value: "transaction", about: "Write this event, with its digest, as a scenario" },
    output: {
      type: "string",
      value: "file",
      about: "With --save: where to (default: scenarios/<name>.yaml)",
    },
  },
  run: async (call) => (call.values.save === undefined ? runAll(call) : save(call)),
};

async function runAll(call: Call): Promise<ExitCode> {
  const { io, out, values } = call;
  if (values.output !== undefined) throw wrongUsage("--output belongs to --save.", "tidings test --help");
  const parallel = numberOption(values, "parallel", { least: 1, most: 32, otherwise: 4 });
  const { describeTested, findTestedFiles, printTested } = await import("../../files/tested-files.ts");
  const files = await findTestedFiles(call);
  const scenarios = await readAll(call, files?.root ?? io.cwd);
  const { isPassed, printOutcome, toJUnit } = await import("../../scenario/report.ts");
  const session = await call.session();
  printTested(out, files, session);
  const outcomes = await runPool(
    scenarios,
    Math.floor(parallel),
    () => io.signal.aborted,
    async (entry) => {
      const outcome = await runOne(call, session, files, entry);
      if (!io.signal.aborted) printOutcome(out, outcome);
      return outcome;
    },
  );
  io.signal.throwIfAborted();
  const junit = textOption(values, "junit");
  if (junit !== undefined) {
    const { writeFileWithFolders } = await import("../../scenario/files.ts");
    writeFileWithFolders(resolve(io.cwd, junit), toJUnit(outcomes));
  }
  const failed = outcomes.filter((outcome) => !isPassed(outcome)).length;
  out.line(`${outcomes.length - failed} passed, ${failed} failed.`);
  out.json({
    tested: describeTested(files, session),
    passed: outcomes.length - failed,
    failed,
    scenarios: outcomes.map((one) => ({ ...one, passed: isPassed(one) })),
  });
  return failed > 0 ? exitCodes.failed : exitCodes.done;
}

async function readAll({ io, args, values }: Call, folder: string): Promise<ScenarioFile[]> {
  const { findScenarioFiles, readScenarioFile } = await import("../../scenario/files.ts");
  const { parseScenarios } = await import("../../scenario/parse.ts");
  const all = findScenarioFiles(io.cwd, args, folder).flatMap((file) =>
    parseScenarios(file, readScenarioFile(io.cwd, file)),
  );
  const filter = textOption(values, "filter");
  const chosen = all.filter(({ scenario }) => filter === undefined || scenario.name.includes(filter));
  if (chosen.length === 0) throw new CliError(`No scenario has "${filter}" in its name.`);
  return chosen;
}

async function runOne(call: Call, session: Session, files: TestedFiles | null, entry: ScenarioFile): Promise<Outcome> {
  const { runScenario } = await import("../../scenario/run.ts");
  const { file, line, scenario } = entry;
  const started = performance.now();
  const result = { name: scenario.name, file, line, mismatches: [] };
  const took = () => ({ durationMs: Math.round(performance.now() - started) });
  try {
    const mismatches = await runScenario(session, files, scenario, call.io.signal);
    return { ...result, ...took(), mismatches };
  } catch (error) {
    const { message, fix } = error as Error & { fix?: string };
    return { ...result, ...took(), error: fix ? `${message}\n→ ${fix}` : message };
  }
}

/** In their order, so many at once. An interrupted command starts no more. */
async function runPool<T, R>(
  items: readonly T[],
  width: number,
  isStopped: () => boolean,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const work = async () => {
    while (next < items.length && !isStopped()) {
      const at = next++;
      results[at] = await run(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  return results;
}

async function save(call: Call): Promise<void> {
  const { io, out, values } = call;
  refuseMoreArguments(call, 0, "tidings test --help");
  const { tidings } = await call.session();
  const transactionId = textOption(values, "save")!;
  const { scenario, yaml, notes } = await tidings.scenarios.export({ query: { transactionId } });
  const { defaultFolder, saveScenarioFile } = await import("../../scenario/files.ts");
  const name =
    scenario.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 80) || "scenario";
  const file = textOption(values, "output") ?? `${defaultFolder}/${name}.yaml`;
  saveScenarioFile(io.cwd, file, yaml);
  out.line(`${out.style("green", "saved")} ${file}`);
  for (const note of notes) out.line(`${out.style("yellow", "note")} ${plainText(note)}`);
  out.line(out.style("dim", `tidings test ${file}`));
  out.json({ file, scenario, notes });
}
