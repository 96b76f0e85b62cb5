// `tidings broadcasts`: a draft for an audience is checked, tested and sent, and stopped where that has to be. What it
// prints: broadcast-view.ts. The draft: broadcast-draft.ts; who gets it and who has got it: broadcast-people.ts.
import type { CallInput } from "@tidings/contract";
import { numberOption, readAction, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { confirmChange } from "../../confirm.ts";
import { CliError, type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { countOf, plainText } from "../../output.ts";
import { pollUntil } from "../../time.ts";
import { create, draftOptions, help, type Opened, remove, update } from "./broadcast-draft.ts";
import { people, preview, resend, results } from "./broadcast-people.ts";
import { hasProblems, isEnded, peopleText, printBroadcast, printCheck, progressText } from "./broadcast-view.ts";

const controls = ["approve", "reject", "pause", "resume", "stop"] as const;
const draftActions = ["create", "update", "delete", "check", "preview", "test", "send"] as const;
const actions = ["list", "show", ...draftActions, ...controls, "results", "people", "resend"] as const;
const pollMs = 250;

export const broadcasts: Command = {
  usage:
    "list | create <name> … | update <id> … | preview|test <id> <subscriber>… |\n" +
    "show|delete|check|send|approve|reject|pause|resume|stop|results|people|resend <id>",
  about:
    "`create` writes a draft and sends nothing; `update` changes what is given. `check` is a dry run for the whole audience; it ends with 1 if there are\n" +
    "problems. `send` prints the checklist first and asks, unless --yes; with --wait it shows the progress until the last\n" +
    "person was started. `pause` and `stop` return when no person is started after them. `people` lists those of an\n" +
    "--outcome, and `resend` makes a draft for them: those who did not open it, unless you say otherwise.",
  example:
    "tidings broadcasts create 'Spring release' --workflow release --audience pro --exclude staff\n" +
    "tidings broadcasts send 0199b4c2-f3a8-7000-8f6b-5a0d2c7e1b44 --wait",
  actions,
  options: {
    ...draftOptions,
    status: { type: "string", value: "status", about: "list: draft, scheduled, running, completed …" },
    outcome: { type: "string", value: "outcome", about: "people, resend: sent, opened, not_opened, failed …" },
    limit: { type: "string", value: "number", about: "list, people: how many (default: 20)" },
    note: { type: "string", value: "text", about: "reject: why" },
    wait: { type: "boolean", about: "send, resume: show the progress until it has ended" },
    timeout: { type: "string", value: "seconds", about: "How long a check or --wait may take (default: 3600)" },
  },
  run: async (call) => {
    const action = readAction(call, actions, help);
    if (action === "list") return list(call);
    if (action === "create") return create(call);
    const broadcastId = requireArgument(call, 1, "The id of the broadcast", help);
    if (action !== "test" && action !== "preview") refuseMoreArguments(call, 2, help);
    const opened: Opened = { call, ...(await call.session()), params: { broadcastId } };
    return action in runs ? runs[action as keyof typeof runs](opened) : control(opened, action as Control);
  },
};

type Control = (typeof controls)[number];

const runs = { show, update, delete: remove, check, preview, test, send, results, people, resend };

async function list(call: Call): Promise<void> {
  refuseMoreArguments(call, 1, help);
  const { out, values } = call;
  const { tidings } = await call.session();
  const limit = numberOption(values, "limit", { least: 1, most: 100, otherwise: 20 });
  const status = textOption(values, "status") as NonNullable<CallInput<"broadcasts.list">["query"]>["status"];
  const { data } = await tidings.broadcasts.list({ query: { limit, status } });
  if (data.length === 0) out.line("No broadcasts.");
  else
    out.table(
      ["id", "name", "status", "people", "created"],
      data.map((one) => [
        one._id,
        plainText(one.name),
        one.status,
        progressText(one.progress),
        one.createdAt.slice(0, 16).replace("T", " "),
      ]),
    );
  out.json(data);
}

async function show({ call, tidings, params }: Opened): Promise<void> {
  const found = await tidings.broadcasts.retrieve({ params });
  printBroadcast(call.out, found);
  call.out.json(found);
}

const limitMs = ({ values }: Call): number =>
  1_000 * numberOption(values, "timeout", { least: 1, most: 86_400, otherwise: 3_600 });

async function runCheck({ call, tidings, params }: Opened) {
  const { out, io } = call;
  await tidings.broadcasts.check({ params });
  let shown = 0;
  const done = await pollUntil(
    async () => {
      const now = await tidings.broadcasts.retrieveCheck({ params });
      if (now.status === "running" && now.checked > shown)
        out.note(`${now.checked} of ${peopleText(now.people)} checked`);
      shown = now.checked;
      return now.status === "running" ? null : now;
    },
    { everyMs: pollMs, withinMs: limitMs(call), signal: io.signal },
  );
  if (!done) throw new CliError("The check has not ended yet, and continues.", { fix: "Add --timeout <seconds>." });
  return done;
}

async function check(opened: Opened): Promise<ExitCode> {
  const { out } = opened.call;
  const done = await runCheck(opened);
  printCheck(out, done);
  out.json(done);
  return hasProblems(done) ? exitCodes.failed : exitCodes.done;
}

async function test({ call, tidings, params }: Opened): Promise<void> {
  const { out, args } = call;
  const subscriberIds = args.slice(2);
  if (subscriberIds.length === 0) throw wrongUsage("Name the subscribers who get the test.", help);
  await call.confirm(`Send the test to ${countOf(subscriberIds.length, "subscriber")}`);
  const { data } = await tidings.broadcasts.test({ params, body: { subscriberIds } });
  for (const { subscriberId, transactionId } of data) out.line(`${plainText(subscriberId)}  ${transactionId}`);
  out.json(data);
}

async function send(opened: Opened): Promise<ExitCode> {
  const { call, tidings, environment, params } = opened;
  const { out, io, values } = call;
  const checked = await runCheck(opened);
  printCheck(out, checked);
  if (hasProblems(checked)) {
    out.json(checked);
    throw new CliError("The broadcast has problems. Nothing was sent.", {
      fix: "Correct the draft, and send it again.",
    });
  }
  const question = `Send it to ${peopleText(checked.people)} in ${environment.name}`;
  if (!values.yes) await confirmChange(io, question);
  const sent = await tidings.broadcasts.send({ params });
  if (sent.status === "awaiting_approval") out.line("It waits for the approval of another person, an owner.");
  if (values.wait && sent.status !== "awaiting_approval") return follow(opened);
  printBroadcast(out, sent);
  out.json(sent);
  return exitCodes.done;
}

/** Shows the progress until it has ended, or is paused. */
async function follow({ call, tidings, params }: Opened): Promise<ExitCode> {
  const { out, io } = call;
  let shown = "";
  const ended = await pollUntil(
    async () => {
      const now = await tidings.broadcasts.retrieve({ params });
      const text = `${now.status}: ${progressText(now.progress)}`;
      if (text !== shown) out.note(text);
      shown = text;
      return isEnded(now) || now.status === "paused" ? now : null;
    },
    { everyMs: 2 * pollMs, withinMs: limitMs(call), signal: io.signal },
  );
  if (!ended)
    throw new CliError("The broadcast has not ended yet, and continues.", {
      fix: `tidings broadcasts show ${params.broadcastId}`,
    });
  printBroadcast(out, ended);
  out.json(ended);
  return ended.status === "completed" ? exitCodes.done : exitCodes.failed;
}

const words = { approve: "Approve", reject: "Reject", pause: "Pause", resume: "Resume", stop: "Stop" } as const;

async function control(opened: Opened, action: Control): Promise<ExitCode> {
  const { call, tidings, params } = opened;
  await call.confirm(`${words[action]} the broadcast ${params.broadcastId}`);
  const note = textOption(call.values, "note");
  const changed =
    action === "reject"
      ? await tidings.broadcasts.reject({ params, body: { note } })
      : await tidings.broadcasts[action]({ params });
  if (action === "resume" && call.values.wait) return follow(opened);
  printBroadcast(call.out, changed);
  call.out.json(changed);
  return exitCodes.done;
}
