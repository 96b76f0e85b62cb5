// `tidings render`: the rendered content of every step and locale, compared with golden files.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Tidings, TidingsError } from "@tidings/client/source";
import { isChannel, type PreviewResult, type Workflow } from "@tidings/contract";
import { readJsonObject, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes } from "../../failure.ts";
import { testedOptions } from "../../files/options.ts";
import { countOf, plainText } from "../../output.ts";
import { type Stage, withStage } from "../../scenario/environment.ts";
import type { Session } from "../../session.ts";

const folder = "__renders__";

export const render: Command = {
  usage: "[workflow…] [--dir <folder>] [--update]",
  about:
    `Renders every step of the workflows named, or of all, for a sample subscriber, in every locale that they are translated to, and\n` +
    `compares the result with ${folder}/<workflow>/<step>.<locale>.txt. --update writes these files. The payload is that of --payload,\n` +
    `else ${folder}/<workflow>/payload.json, else {}. The workflows are those of the files; without tidings.yaml, and with\n` +
    `--remote, those of the environment in use. Ends with 1 on a difference.`,
  example: "tidings render order-shipped --update",
  options: {
    ...testedOptions,
    update: { type: "boolean", short: "u", about: "Write the files, and remove those of deleted steps" },
    payload: { type: "string", value: "json|@file", about: "The payload for all renderings" },
    locale: { type: "string", multiple: true, value: "locale", about: "Only these locales" },
    subscriber: { type: "string", value: "id", about: "A subscriber of the environment instead of a sample" },
  },
  run: async (call) => {
    const { describeTested, findTestedFiles, printTested } = await import("../../files/tested-files.ts");
    const session = await call.session();
    const files = await findTestedFiles(call);
    printTested(call.out, files, session);
    const root = files?.root ?? call.io.cwd;
    const result = files
      ? await withStage(session, files, { name: "tidings render" }, async (stage) => {
          await copySubscriber(call, session, stage);
          return renderAll(call, stage, root);
        })
      : await renderAll(call, session, root);
    const tested = describeTested(files, session);
    return call.values.update ? writeAll(call, root, result, tested) : compareAll(call, root, result, tested);
  },
};

type Rendered = { workflowId: string; file: string; text: string };
type Fault = { workflowId: string; message: string };
/** `workflowIds`: of those that were rendered without an error. */
type Result = { workflowIds: string[]; rendered: Rendered[]; faults: Fault[] };

/** Workflows that are rendered without being named. */
const maxWorkflows = 1_000;

/** An error concerns its workflow: the others are rendered. */
async function renderAll(call: Call, { tidings }: Stage, root: string): Promise<Result> {
  const names = call.args.length > 0 ? call.args : await listWorkflows(tidings);
  if (names.length === 0) throw new CliError("There are no workflows.", { fix: "tidings init, or --dir <folder>" });
  const result: Result = { workflowIds: [], rendered: [], faults: [] };
  for (const workflowId of names) {
    try {
      const workflow = await tidings.workflows.retrieve({ params: { workflowId } });
      result.rendered.push(...(await renderWorkflow(call, tidings, workflow, root)));
      result.workflowIds.push(workflowId);
    } catch (error) {
      if (!(error instanceof TidingsError || error instanceof CliError) || isLost(error)) throw error;
      result.faults.push({ workflowId, message: error.message });
      call.out.line(`${call.out.style("red", "error")}   ${plainText(workflowId)}: ${plainText(error.message)}`);
    }
  }
  return result;
}

/** What would happen to every other workflow too: no response, a key that is refused. */
const isLost = (error: Error): boolean => error instanceof TidingsError && [0, 401, 403].includes(error.status);

/** The subscriber is one of the environment in use. */
async function copySubscriber({ values }: Call, { tidings }: Session, stage: Stage): Promise<void> {
  const subscriberId = textOption(values, "subscriber");
  if (subscriberId === undefined) return;
  const found = await tidings.subscribers.retrieve({ params: { subscriberId } });
  const { firstName, lastName, email, phone, avatar, locale, timezone, data } = found;
  const fields = { firstName, lastName, email, phone, avatar, locale, timezone, data };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  await stage.tidings.subscribers.create({ body: { subscriberId, ...given } });
}

async function listWorkflows(tidings: Tidings): Promise<string[]> {
  const names: string[] = [];
  for (let offset = 0; offset < maxWorkflows; offset += 100) {
    const { workflows } = await tidings.workflows.list({ query: { limit: 100, offset } });
    names.push(...workflows.map(({ workflowId }) => workflowId));
    if (workflows.length < 100) break;
  }
  return names;
}

async function renderWorkflow(call: Call, tidings: Tidings, workflow: Workflow, root: string): Promise<Rendered[]> {
  const { workflowId, steps } = workflow;
  const payload = await payloadFor(call, workflowId, root);
  const locales = (call.values.locale as string[] | undefined) ?? (await localesOf(tidings, workflowId));
  const rendered: Rendered[] = [];
  for (const { stepId, type, controls } of steps.filter((step) => isChannel(step.type)))
    for (const locale of locales) {
      const body = {
        step: { type, stepId, controlValues: controls.values as Record<string, unknown> },
        ...{ workflowId, payload, locale, subscriberId: call.values.subscriber as string | undefined },
      };
      const { data } = await tidings.workflows.preview({ body });
      const [fault] = data.faults;
      if (fault)
        throw new CliError(`step ${stepId}, ${fault.field}${fault.line ? `:${fault.line}` : ""}: ${fault.message}`);
      rendered.push({ workflowId, file: join(workflowId, `${stepId}.${locale}.txt`), text: toText(data.result) });
    }
  return rendered;
}

async function payloadFor(call: Call, workflowId: string, root: string): Promise<Record<string, unknown>> {
  const given = await readJsonObject(call, "payload");
  if (given) return given;
  const file = join(root, folder, workflowId, "payload.json");
  if (!existsSync(file)) return {};
  return (await readJsonObject({ io: call.io, values: { payload: `@${file}` } }, "payload"))!;
}

/** Without translations, the sample's own language. */
async function localesOf(tidings: Tidings, workflowId: string): Promise<string[]> {
  try {
    const { locales } = await tidings.translations.retrieveGroup({
      params: { resourceType: "workflow", resourceId: workflowId },
    });
    return locales.length > 0 ? locales : ["en_US"];
  } catch (error) {
    if (error instanceof TidingsError && error.status === 404) return ["en_US"];
    throw error;
  }
}

function toText({ html, text, body, subject, ...rest }: PreviewResult): string {
  const parts = [
    ...(subject === undefined ? [] : [`subject: ${subject}`]),
    ...Object.entries(rest).map(
      ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    ),
  ];
  const content = [text ?? body, html].filter((part) => part !== undefined);
  return `${[parts.join("\n"), ...content].filter((part) => part !== "").join("\n\n")}\n`;
}

type Tested = { files: string } | { environment: string };

async function writeAll({ out }: Call, root: string, result: Result, tested: Tested): Promise<ExitCode> {
  const { writeFileWithFolders } = await import("../../scenario/files.ts");
  const { workflowIds, rendered, faults } = result;
  const wanted = new Set(rendered.map(({ file }) => file));
  const removed = workflowIds.flatMap((workflowId) =>
    goldenFiles(root, workflowId).filter((file) => !wanted.has(file)),
  );
  for (const file of removed) rmSync(resolve(root, folder, file));
  for (const { file, text } of rendered) writeFileWithFolders(resolve(root, folder, file), text);
  out.line(`${countOf(rendered.length, "file")} written, ${removed.length} removed in ${folder}.`);
  if (faults.length > 0) out.line(`${countOf(faults.length, "workflow")} could not be rendered.`);
  out.json({ tested, written: rendered.map(({ file }) => file), removed, faults });
  return faults.length > 0 ? exitCodes.failed : exitCodes.done;
}

function goldenFiles(root: string, workflowId: string): string[] {
  const path = resolve(root, folder, workflowId);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => join(workflowId, name));
}

async function compareAll({ out }: Call, root: string, result: Result, tested: Tested): Promise<ExitCode> {
  const { changedLines } = await import("../../text-diff.ts");
  const { rendered, faults } = result;
  const differences = [];
  for (const { file, text } of rendered) {
    const path = resolve(root, folder, file);
    const golden = existsSync(path) ? readFileSync(path, "utf8") : null;
    if (golden === text) continue;
    differences.push({ file, isMissing: golden === null });
    out.line(`${out.style("red", golden === null ? "missing" : "differs")} ${folder}/${file}`);
    if (golden === null) continue;
    for (const { kind, text: line } of changedLines(golden, text).slice(0, 40)) {
      const sign = { same: " ", removed: "-", added: "+" }[kind];
      const shown = `    ${sign} ${plainText(line)}`;
      out.line(kind === "same" ? shown : out.style(kind === "removed" ? "red" : "green", shown));
    }
  }
  const unrendered = faults.length > 0 ? `, ${countOf(faults.length, "workflow")} could not be rendered` : "";
  out.line(`${rendered.length - differences.length} the same, ${differences.length} differ${unrendered}.`);
  if (differences.length > 0) out.line(out.style("dim", "→ tidings render --update accepts the new ones."));
  out.json({ tested, same: rendered.length - differences.length, differences, faults });
  return differences.length + faults.length > 0 ? exitCodes.failed : exitCodes.done;
}
