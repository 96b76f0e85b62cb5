// `tidings tail`: events as they come in and change. A lost connection is opened again, and what happened meanwhile is
// read from the list of events.
import type { ActivityEvent } from "@tidings/contract";
import { refuseMoreArguments } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { readServerEvents } from "../../event-stream.ts";
import { CliError, exitCodes } from "../../failure.ts";
import { plainText } from "../../output.ts";
import { pause } from "../../time.ts";

export const tail: Command = {
  usage: "[--failed] [--workflow <id>…]",
  about: "Runs until Ctrl-C. With --json, prints one JSON value per line.",
  example: "tidings tail --failed",
  options: {
    failed: { type: "boolean", about: "Only events with a failed step" },
    workflow: { type: "string", multiple: true, value: "id", about: "Only events of these workflows" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings tail --help");
    const { io, out } = call;
    const { environment } = await call.session();
    out.note(`Events of ${environment.name}. Ctrl-C ends.`);
    const show = createPrinter(call);
    const maxPauseMs = 30_000;
    let since: string | null = null;
    for (let tries = 0; !io.signal.aborted; tries++) {
      try {
        since = await readStream(call, since, show, () => {
          tries = 0;
        });
      } catch (error) {
        if (error instanceof CliError) throw error;
      }
      if (io.signal.aborted) break;
      if (tries === 0) out.note("The connection was lost; it is opened again.");
      await pause(Math.min(1_000 * 2 ** tries, maxPauseMs), io.signal).catch(() => undefined);
    }
    return exitCodes.done;
  },
};

type Show = (event: ActivityEvent) => void;

/** Reads one connection to its end. Returns the time from which events may have been missed. */
async function readStream(call: Call, since: string | null, show: Show, onReady: () => void): Promise<string | null> {
  const { io } = call;
  const { tidings } = await call.session();
  const headers = { accept: "text/event-stream" };
  const response = await tidings.send("GET", "/v1/activity/stream", { headers, signal: io.signal });
  if (response.status === 401) throw new CliError("The service no longer accepts the key.", { fix: "tidings login" });
  if (!response.ok || !response.body) throw new Error(`The service returned ${response.status}.`);
  let last = since;
  try {
    for await (const { name, data } of readServerEvents(response.body)) {
      if (name === "ready") {
        onReady();
        if (last !== null) await catchUp(tidings, last, show);
        last ??= new Date().toISOString();
        continue;
      }
      if (name !== "activity") continue;
      const { events } = JSON.parse(data) as { events: ActivityEvent[] };
      for (const event of events.toReversed()) show(event);
      last = new Date().toISOString();
    }
  } catch (error) {
    if (!io.signal.aborted && last === since) throw error;
  }
  return last;
}

async function catchUp(
  tidings: Awaited<ReturnType<Call["session"]>>["tidings"],
  since: string,
  show: Show,
): Promise<void> {
  const { data } = await tidings.activity.listEvents({ query: { after: since, limit: 100 } });
  for (const event of data.toReversed()) show(event);
}

/** Events whose last line is remembered, so that a change which is not seen prints nothing. */
const maxRemembered = 5_000;

function createPrinter({ io, out, values }: Call): Show {
  const printed = new Map<string, string>();
  const workflows = values.workflow as string[] | undefined;
  return (event) => {
    if (values.failed && event.outcomes.failed + event.outcomes.partly === 0) return;
    if (workflows && !workflows.includes(event.workflow.workflowId)) return;
    const text = out.isJson ? JSON.stringify(event) : lineOf(event, out.style);
    if (printed.get(event.id) === text) return;
    printed.delete(event.id);
    printed.set(event.id, text);
    if (printed.size > maxRemembered) printed.delete(printed.keys().next().value!);
    if (out.isJson) io.stdout.write(`${text}\n`);
    else out.line(text);
  };
}

function lineOf(event: ActivityEvent, style: Call["out"]["style"]): string {
  const { createdAt, workflow, recipient, recipients, isCapped, verdict, outcomes, transactionId } = event;
  const to = recipient?.subscriberId ?? `${recipients}${isCapped ? "+" : ""} recipients`;
  const tone = outcomes.failed > 0 ? "red" : outcomes.partly + outcomes.pending > 0 ? "yellow" : "green";
  const head = `${style("dim", createdAt.slice(11, 19))} ${style("bold", plainText(workflow.workflowId))}`;
  return `${head} → ${plainText(to)}: ${style(tone, plainText(verdict))} ${style("dim", plainText(transactionId))}`;
}
