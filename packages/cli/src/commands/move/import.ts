// `tidings import novu`: brings an installation of another service over, through its public API.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { readAction, refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import type { ImportReport } from "../../import/report.ts";
import type { Progress } from "../../import/subscribers.ts";
import { readInput } from "../../io.ts";
import { plainText } from "../../output.ts";

const help = "tidings import --help";
const progressFile = ".tidings-import.json";

export const importCommand: Command = {
  usage: "novu --from <address> [--key-file <file>]",
  about:
    "Reads workflows, layouts, translations, integrations (without secrets), subscribers, preferences, topics and their members, and\n" +
    "creates or updates them in the environment in use. The key of the other installation is read from --key-file or the standard\n" +
    `input. An interrupted import resumes where it stopped (${progressFile}); a repeated one only writes what differs. A report lists what\n` +
    "was imported, what changed, and what you have to do manually.",
  example: "tidings import novu --from https://api.novu.co --key-file novu.key",
  actions: ["novu"],
  options: {
    from: { type: "string", value: "address", about: "Where the other installation is" },
    "key-file": { type: "string", value: "file", about: "File with its API key; standard input by default" },
    report: { type: "string", value: "file", about: "Also write the report as JSON" },
    restart: { type: "boolean", about: "Start over, regardless of earlier progress" },
  },
  run: async (call) => {
    readAction(call, ["novu"] as const, help);
    refuseMoreArguments(call, 1, help);
    const { from, apiKey } = await readSource(call);
    const session = await call.session();
    await call.confirm(`Import everything from ${from}`);
    const report = await importAll(call, from, apiKey, session.tidings);
    print(call, report);
    const file = textOption(call.values, "report");
    if (file !== undefined) writeFileSync(resolve(call.io.cwd, file), `${JSON.stringify(report, null, 2)}\n`);
    return exitCodes.done as ExitCode;
  },
};

async function readSource({ io, values }: Call): Promise<{ from: string; apiKey: string }> {
  const from = textOption(values, "from");
  if (from === undefined) throw wrongUsage("--from <address> is missing.", help);
  if (!URL.canParse(from) || !/^https?:$/.test(new URL(from).protocol))
    throw wrongUsage(`--from: "${from}" is not an http or https URL.`, help);
  const file = textOption(values, "key-file");
  let apiKey: string | null;
  try {
    apiKey = file === undefined ? await readInput(io) : readFileSync(resolve(io.cwd, file), "utf8");
  } catch (error) {
    throw new CliError(`--key-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (!apiKey?.trim())
    throw new CliError("The key of the other installation is missing.", { fix: "--key-file <file>, or pipe it in." });
  return { from: from.replace(/(?<!\/)\/+$/, ""), apiKey: apiKey.trim() };
}

type Target = Awaited<ReturnType<Call["session"]>>["tidings"];

async function importAll(
  { io, out, values }: Call,
  from: string,
  apiKey: string,
  target: Target,
): Promise<ImportReport> {
  const { openSource, recogniseSource } = await import("../../import/source.ts");
  const { newReport } = await import("../../import/report.ts");
  const { importIntegrations, importLayouts } = await import("../../import/configuration.ts");
  const { importWorkflows } = await import("../../import/workflows.ts");
  const { importSubscribers, importTopics } = await import("../../import/subscribers.ts");
  const path = resolve(io.cwd, progressFile);
  const progress = values.restart ? { done: [] } : readProgress(path, from);
  const keep = () => writeFileSync(path, `${JSON.stringify({ from, ...progress })}\n`);
  const source = openSource(from, apiKey);
  const report = newReport(await recogniseSource(source));
  const common = { source, target, report, progress, keep, signal: io.signal };
  const parts: [name: string, run: (given: typeof common) => Promise<void>][] = [
    ["layouts", importLayouts],
    ["workflows", importWorkflows],
    ["integrations", importIntegrations],
    ["subscribers", importSubscribers],
    ["topics", importTopics],
  ];
  for (const [name, run] of parts) {
    io.signal.throwIfAborted();
    if (progress.done.includes(name)) continue;
    out.note(`${name} …`);
    await run(common);
    progress.done.push(name);
    keep();
  }
  rmSync(path, { force: true });
  return common.report;
}

/** What an interrupted import of the same installation has done. */
function readProgress(path: string, from: string): Progress {
  if (!existsSync(path)) return { done: [] };
  try {
    const { from: former, ...progress } = JSON.parse(readFileSync(path, "utf8")) as Progress & { from: string };
    if (former === from && Array.isArray(progress.done)) return progress;
  } catch {
    // A file that cannot be read is one of no import.
  }
  return { done: [] };
}

function print({ out }: Call, report: ImportReport): void {
  const { source, created, updated, unchanged, changed, byHand } = report;
  const kinds = [...new Set([created, updated, unchanged].flatMap(Object.keys))];
  out.line(source === "novu" ? "The other installation is Novu." : "The other installation is Tidings.");
  out.table(
    ["", "created", "updated", "unchanged"],
    kinds.map((kind) => [kind, ...[created, updated, unchanged].map((numbers) => String(numbers[kind] ?? 0))]),
  );
  if (changed.length > 0) out.line(`\n${out.style("bold", "Changed, or needs review")}`);
  for (const line of changed) out.line(`  ${plainText(line)}`);
  if (byHand.length > 0) out.line(`\n${out.style("bold", "To be done by hand")}`);
  for (const line of byHand) out.line(`  ${plainText(line)}`);
  out.json(report);
}
