// `tidings render`: the rendered content of every step and locale, compared with golden files.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { TidingsError } from "@tidings/client/source";
import type { PreviewResult, Workflow } from "@tidings/contract";
import { readJsonObject } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, type ExitCode, exitCodes } from "../../failure.ts";
import { plainText } from "../../output.ts";
import type { Session } from "../../session.ts";

const folder = "__renders__";
const sendingTypes = new Set(["in_app", "email", "sms", "chat", "push"]);

export const render: Command = {
  usage: "[workflow…] [--update]",
  about:
    `Renders every step of the workflows named, or of all, for a sample subscriber, in every locale that they are translated to, and\n` +
    `compares the result with ${folder}/<workflow>/<step>.<locale>.txt. --update writes these files. The payload is that of --payload,\n` +
    `else ${folder}/<workflow>/payload.json, else {}. Ends with 1 on a difference.`,
  example: "tidings render order-shipped --update",
  options: {
    update: { type: "boolean", short: "u", about: "Write the files, and remove those of steps that are gone" },
    payload: { type: "string", value: "json|@file", about: "The payload of all renderings" },
    locale: { type: "string", multiple: true, value: "locale", about: "Only these locales" },
    subscriber: { type: "string", value: "id", about: "A subscriber of the environment in place of a sample" },
  },
  run: async (call) => {
    const session = await call.session();
    const workflows = await chooseWorkflows(call, session);
    const rendered: Rendered[] = [];
    for (const workflow of workflows) rendered.push(...(await renderWorkflow(call, session, workflow)));
    return call.values.update ? writeAll(call, workflows, rendered) : compareAll(call, rendered);
  },
};

type Rendered = { workflowId: string; file: string; text: string };

/** Workflows that are rendered without being named. */
const mostWorkflows = 1_000;

async function chooseWorkflows({ args }: Call, { tidings }: Session): Promise<Workflow[]> {
  const names = args.length > 0 ? args : await listWorkflows(tidings);
  if (names.length === 0) throw new CliError("The environment has no workflows.");
  const workflows: Workflow[] = [];
  for (const workflowId of names) workflows.push(await tidings.workflows.retrieve({ params: { workflowId } }));
  return workflows;
}

async function listWorkflows(tidings: Session["tidings"]): Promise<string[]> {
  const names: string[] = [];
  for (let offset = 0; offset < mostWorkflows; offset += 100) {
    const { workflows } = await tidings.workflows.list({ query: { limit: 100, offset } });
    names.push(...workflows.map(({ workflowId }) => workflowId));
    if (workflows.length < 100) break;
  }
  return names;
}

async function renderWorkflow(call: Call, { tidings }: Session, workflow: Workflow): Promise<Rendered[]> {
  const { workflowId, steps } = workflow;
  const payload = await payloadFor(call, workflowId);
  const locales = (call.values.locale as string[] | undefined) ?? (await localesOf(tidings, workflowId));
  const rendered: Rendered[] = [];
  for (const { stepId, type, controls } of steps.filter((step) => sendingTypes.has(step.type)))
    for (const locale of locales) {
      const body = {
        step: { type, stepId, controlValues: controls.values as Record<string, unknown> },
        ...{ workflowId, payload, locale, subscriberId: call.values.subscriber as string | undefined },
      };
      const { data } = await tidings.workflows.preview({ body });
      const [fault] = data.faults;
      if (fault)
        throw new CliError(
          `${workflowId}, step ${stepId}, ${fault.field}${fault.line ? `:${fault.line}` : ""}: ${fault.message}`,
        );
      rendered.push({ workflowId, file: join(workflowId, `${stepId}.${locale}.txt`), text: toText(data.result) });
    }
  return rendered;
}

async function payloadFor(call: Call, workflowId: string): Promise<Record<string, unknown>> {
  const given = await readJsonObject(call, "payload");
  if (given) return given;
  const file = join(folder, workflowId, "payload.json");
  const stored = existsSync(resolve(call.io.cwd, file));
  if (!stored) return {};
  return (await readJsonObject({ io: call.io, values: { payload: `@${file}` } }, "payload"))!;
}

/** Without translations, the sample's own language. */
async function localesOf(tidings: Session["tidings"], workflowId: string): Promise<string[]> {
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

async function writeAll({ io, out }: Call, workflows: Workflow[], rendered: Rendered[]): Promise<ExitCode> {
  const { writeFileWithFolders } = await import("../../scenario/files.ts");
  const wanted = new Set(rendered.map(({ file }) => file));
  const removed = workflows.flatMap(({ workflowId }) =>
    goldenFiles(io.cwd, workflowId).filter((file) => !wanted.has(file)),
  );
  for (const file of removed) rmSync(resolve(io.cwd, folder, file));
  for (const { file, text } of rendered) writeFileWithFolders(resolve(io.cwd, folder, file), text);
  out.line(`${rendered.length} files written, ${removed.length} removed in ${folder}.`);
  out.json({ written: rendered.map(({ file }) => file), removed });
  return exitCodes.done;
}

function goldenFiles(cwd: string, workflowId: string): string[] {
  const path = resolve(cwd, folder, workflowId);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".txt"))
    .map((name) => join(workflowId, name));
}

async function compareAll({ io, out }: Call, rendered: Rendered[]): Promise<ExitCode> {
  const { changedLines } = await import("../../text-diff.ts");
  const differences = [];
  for (const { file, text } of rendered) {
    const path = resolve(io.cwd, folder, file);
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
  out.line(`${rendered.length - differences.length} the same, ${differences.length} differ.`);
  if (differences.length > 0) out.line(out.style("dim", "→ tidings render --update takes the new ones."));
  out.json({ same: rendered.length - differences.length, differences });
  return differences.length > 0 ? exitCodes.failed : exitCodes.done;
}
