// One call of a tool: its arguments are checked, it is recorded in the audit log, and it runs for a limited time.
import { actorOf } from "../../app/members/actor.ts";
import { recordChange } from "../../app/members/audit.ts";
import type { Ctx, Source } from "../../context.ts";
import { type Check, compileBody, faultsOf } from "../../validation.ts";
import { answerOf, quote } from "./answer.ts";
import { refuseScope } from "./may-call.ts";
import { auditedArguments, Refusal, type Tool, type ToolHost } from "./tool.ts";

/** Less than a request may take, so that the response is the tool's. */
const maxMs = 45_000;

/** Logs an unexpected error, and returns what the client may know of it. */
export type ReportFault = (error: unknown) => string;

export type ToolAnswer = { text: string; isError: boolean };

const checks = new Map<string, Check>();

function checkOf({ name, input }: Tool): Check {
  if (!checks.has(name)) checks.set(name, compileBody(input));
  return checks.get(name)!;
}

/** The errors of the arguments, each with its field. */
function faultsIn(tool: Tool, input: unknown): string[] {
  const check = checkOf(tool);
  if (check(input)) return [];
  return Object.values(faultsOf(check.errors ?? []))
    .flatMap(({ messages }) => messages)
    .slice(0, 20)
    .map((message) => quote(message.replace(/^Request body/, "The value of arguments")));
}

/** PostgreSQL stores neither U+0000 nor half a character. */
const storable = (text: string): string => text.slice(0, 255).toWellFormed().replaceAll("\0", "");

/** Longer lists are not valid arguments. */
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.slice(0, 100).flatMap((one) => (typeof one === "string" ? storable(one) : [])) : [];

/** Before the tool runs: what is not recorded does not happen. */
async function record(ctx: Ctx, tool: Tool, { caller }: ToolHost, input: Record<string, unknown>, source: Source) {
  const request: Record<string, string | number | string[]> = {};
  for (const name of auditedArguments) {
    const value = input[name];
    if (typeof value === "string") request[name] = storable(value);
    else if (typeof value === "number") request[name] = value;
    else if (Array.isArray(value)) request[name] = textsIn(value);
  }
  const people = [...textsIn([input.subscriberId]), ...textsIn(input.subscriberIds)];
  const person = people.length === 1 ? people[0]! : null;
  await recordChange(ctx, {
    organizationId: caller.organizationId,
    environmentId: caller.environmentId,
    actor: actorOf(caller),
    operation: `mcp.${tool.name}`,
    target: person ?? targetIn(request),
    subscriberId: person,
    after: { request },
    source,
  });
}

function targetIn({ transactionId, workflowId, backtestId }: Record<string, unknown>): string | null {
  return textsIn([transactionId, workflowId, backtestId])[0] ?? null;
}

function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Refusal(`The tool took longer than ${maxMs / 1_000} s. What it had begun may still end.`);
    timer = setTimeout(() => reject(error), maxMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export async function runTool(
  ctx: Ctx,
  tool: Tool,
  host: ToolHost,
  { input, source, reportFault }: { input: unknown; source: Source; reportFault: ReportFault },
): Promise<ToolAnswer> {
  const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  try {
    await record(ctx, tool, host, given, source);
    refuseScope(host.caller, tool);
    const faults = faultsIn(tool, input);
    if (faults.length > 0) return { text: answerOf(["The arguments are not valid:", ...faults]), isError: true };
    return { text: answerOf([await withinTime(tool.run(host, given as never))]), isError: false };
  } catch (error) {
    const text = error instanceof Refusal ? error.message : reportFault(error);
    return { text: answerOf([text]), isError: true };
  }
}
