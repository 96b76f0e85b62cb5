// `tidings mail`: messages that were captured instead of sent.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CapturedMessage } from "@tidings/contract";
import { numberOption, readAction, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import { openInBrowser } from "../../browser.ts";
import type { Call, Command } from "../../command.ts";
import { CliError, wrongUsage } from "../../failure.ts";
import { mailPage } from "../../mail-page.ts";
import { plainText } from "../../output.ts";
import { pollUntil } from "../../time.ts";

const actions = ["ls", "open", "code"] as const;
const help = "tidings mail --help";

export const mail: Command = {
  usage: "ls|open|code [<id or address>] [--wait <seconds>]",
  about:
    "A new environment captures its messages. `ls` lists them, newest first; `open` shows one (the newest, that of an id, or the\n" +
    "newest for an address or subscriber) in the browser; `code` prints the newest one-time code for an address or subscriber.",
  example: "tidings mail code ada@example.com --wait 10",
  actions,
  options: {
    channel: { type: "string", value: "channel", about: "email, sms, push or chat" },
    limit: { type: "string", value: "number", about: "ls: how many (default: 20)" },
    after: { type: "string", value: "time", about: "Only messages later than this (ISO 8601)" },
    wait: { type: "string", value: "seconds", about: "code and open: wait for the message (default: 0)" },
    text: { type: "boolean", about: "open: print the text instead of opening a browser" },
    images: {
      type: "boolean",
      about: "open: also load remote images and fonts, which reveals to the sender that you opened it",
    },
  },
  run: async (call) => {
    const action = readAction(call, actions, help);
    refuseMoreArguments(call, 2, help);
    if (action === "ls") return list(call);
    return action === "open" ? open(call) : code(call);
  },
};

/** Messages that one request reads. */
const maxRead = 100;

async function readMessages(call: Call, limit: number): Promise<CapturedMessage[]> {
  const { values, args } = call;
  const after = textOption(values, "after");
  if (after !== undefined && Number.isNaN(Date.parse(after)))
    throw wrongUsage(`--after: "${after}" is not a time such as 2026-03-02T09:00:00Z.`);
  const { tidings } = await call.session();
  const channel = textOption(values, "channel") as CapturedMessage["channel"] | undefined;
  const { data } = await tidings.captured.list({ query: { limit, channel }, signal: call.io.signal });
  const [, wanted] = args;
  return data
    .filter(({ createdAt }) => after === undefined || Date.parse(createdAt) > Date.parse(after))
    .filter((message) => wanted === undefined || isFor(message, wanted));
}

const isFor = ({ id, to, subscriberId }: CapturedMessage, wanted: string): boolean =>
  id === wanted || subscriberId === wanted || to.some((address) => address.toLowerCase() === wanted.toLowerCase());

async function list(call: Call): Promise<void> {
  const { out, values, args } = call;
  const limit = numberOption(values, "limit", { least: 1, most: maxRead, otherwise: 20 });
  const messages = (await readMessages(call, args[1] === undefined ? limit : maxRead)).slice(0, limit);
  if (messages.length === 0) out.line("No messages were captured.");
  else
    out.table(
      ["id", "time", "channel", "to", "subject"],
      messages.map((one) => [
        one.id,
        one.createdAt.slice(0, 19).replace("T", " "),
        one.channel,
        plainText(one.to.join(", ") || one.subscriberId),
        plainText((one.subject ?? one.text ?? "").split("\n")[0]!.slice(0, 60)),
      ]),
    );
  out.json(messages);
}

const waitOption = (call: Call): number =>
  numberOption(call.values, "wait", { least: 0, most: 600, otherwise: 0 }) * 1_000;

async function open(call: Call): Promise<void> {
  const { out, io, values, args } = call;
  const message = await pollUntil(async () => (await readMessages(call, maxRead))[0] ?? null, {
    withinMs: waitOption(call),
    signal: io.signal,
  });
  if (!message)
    throw new CliError(
      args[1] === undefined ? "No messages were captured." : `No captured message is for "${args[1]}".`,
      {
        fix: "tidings mail ls",
      },
    );
  out.json(message);
  out.line(
    `${out.style("bold", plainText(message.subject ?? message.channel))} to ${plainText(message.to.join(", "))}`,
  );
  if (values.text || message.html === undefined) return out.line(plainText(message.text ?? ""));
  if (out.isJson) return;
  const file = join(mkdtempSync(join(tmpdir(), "tidings-mail-")), "message.html");
  writeFileSync(file, mailPage(message, { hasImages: values.images === true }), { mode: 0o600 });
  out.line(file);
  openInBrowser(io, file);
}

async function code(call: Call): Promise<void> {
  const { out, io } = call;
  const address = requireArgument(call, 1, "The address or subscriber", help);
  const found = await pollUntil(
    async () => (await readMessages(call, maxRead)).find(({ codes }) => codes.length > 0) ?? null,
    { withinMs: waitOption(call), signal: io.signal },
  );
  if (!found)
    throw new CliError(`No captured message for "${address}" has a one-time code.`, {
      fix: "--wait <seconds> waits for one; `tidings mail ls` shows what was captured.",
    });
  out.line(plainText(found.codes[0]!));
  out.json({ code: found.codes[0], subscriberId: found.subscriberId, createdAt: found.createdAt });
}
