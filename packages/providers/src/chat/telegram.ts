// Telegram, as a bot. Credentials: the token that @BotFather shows for the bot. The subscriber's endpoint names a
// person or a chat by its id, or a public channel as @name; a person has to write to the bot first. API:
// https://core.telegram.org/bots/api#sendmessage Retracting: https://core.telegram.org/bots/api#editmessagetext
// https://core.telegram.org/bots/api#deletemessage (at most 48 hours after sending). Documentation seen: errors have no
// code but a sentence, which is read in the source of the Bot API server.

import { targetOf } from "../kit/chat.ts";
import { secret } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { ChatMessage } from "../kit/message.ts";
import { accepted, type Outcome, rejected, retry, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import {
  checkByStatus,
  describeReply,
  type ErrorClasses,
  failureByCode,
  type HttpReply,
  textAt,
  unreadable,
  valueAt,
} from "../kit/reply.ts";
import { get, type HttpRequest, post } from "../kit/request.ts";
import {
  ImpossibleError,
  pickOverrides,
  type SentMessage,
  sentId,
  type Undone,
  type UndoneCodes,
  undoneByCode,
} from "../kit/unsend.ts";

function methodUrl(token: string, method: string): string {
  // The token is part of the path: anything but a token could call another method.
  if (!/^\d+:[\w-]+$/.test(token)) {
    throw new SendError(rejected("config", "token is not the token of a Telegram bot, such as 123456:ABC-DEF"));
  }
  return `https://api.telegram.org/bot${token}/${method}`;
}

/** The beginnings of the sentences that mean more than their status. */
const sentences = [
  "chat not found",
  "user not found",
  "PEER_ID_INVALID",
  "group chat was upgraded",
  "have no rights to send",
  "not enough rights to send",
  "message is not modified",
  "message to delete not found",
  "message to edit not found",
  "message can't be deleted",
  "message can't be edited",
];
const classes: ErrorClasses = {
  Forbidden: "recipient",
  "chat not found": "recipient",
  "user not found": "recipient",
  PEER_ID_INVALID: "recipient",
  "group chat was upgraded": "recipient",
  "have no rights to send": "recipient",
  "not enough rights to send": "recipient",
};
const undone: UndoneCodes = {
  gone: ["message to delete not found", "message to edit not found"],
  impossible: {
    Forbidden: "The person has blocked the bot, or the bot is no longer in the chat",
    "chat not found": "Telegram does not find the chat of the message",
    "message can't be deleted":
      "Telegram does not allow deleting the message: it is older than 48 hours, or a right is missing",
    "message can't be edited": "Telegram does not allow changing the message",
  },
};

function codeOf({ status, json }: HttpReply): string | undefined {
  if (status === 403) return "Forbidden";
  const said = (textAt(json, "description") ?? "").replace(/^Bad Request: /, "");
  return sentences.find((one) => said.startsWith(one));
}

function read(reply: HttpReply): Outcome {
  if (reply.status < 300) {
    return valueAt(reply.json, "ok") === true
      ? accepted(textAt(reply.json, "result", "message_id"))
      : unreadable(reply);
  }
  const seconds = Number(textAt(reply.json, "parameters", "retry_after"));
  if (reply.status === 429 && seconds > 0) return retry(describeReply(reply), seconds * 1000);
  return failureByCode(reply, codeOf(reply), classes);
}

const chatOf = (message: ChatMessage): string =>
  message.target.kind === "channel" ? message.target.channel : targetOf(message, "user").user;

function placeOf(sent: SentMessage<ChatMessage>): { chat_id: string; message_id: number } {
  const id = sentId(sent, "Telegram");
  if (!/^\d{1,15}$/.test(id)) throw new ImpossibleError("The id of the message is not one that Telegram gives out");
  return { chat_id: chatOf(sent.content), message_id: Number(id) };
}

async function change(request: HttpRequest, id: string | null, io: Io): Promise<Undone> {
  const reply = await io.http(request);
  const code = codeOf(reply);
  // The message has the text already, such as after a call whose response was lost.
  if (code === "message is not modified") return accepted(id ?? undefined);
  return undoneByCode(code, read(reply), undone);
}

/** What editMessageText knows of the members that a message may have. */
const editable = ["text", "parse_mode", "entities", "link_preview_options", "reply_markup"];

export default defineProvider({
  id: "telegram",
  channel: "chat",
  name: "Telegram",
  docs: "https://core.telegram.org/bots/api#sendmessage",
  help: "Create a bot with @BotFather, which shows its token; people reach the bot by its link and press Start.",
  credentials: { token: secret("Bot token") },
  limits: { text: 4096, perSecond: 30 },
  request: (message, { token }) =>
    post(methodUrl(token, "sendMessage"), { json: { chat_id: chatOf(message), text: message.text } }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "parse_mode", "entities", "link_preview_options", "disable_notification", "protect_content", "reply_markup",
      "reply_parameters", "message_thread_id", "message_effect_id", "allow_paid_broadcast",
    ],
  },
  read,
  unsend: {
    delete: async (sent, { token }, io) =>
      change(post(methodUrl(token, "deleteMessage"), { json: placeOf(sent) }), sent.providerMessageId, io),
    replace: async (sent, content, { token }, io) => {
      const json = { ...placeOf(sent), text: content.text };
      const request = withOverrides(
        post(methodUrl(token, "editMessageText"), { json }),
        pickOverrides(content, editable),
      );
      return change(request, sent.providerMessageId, io);
    },
  },
  check: async ({ token }, io) => checkByStatus(await io.http(get(methodUrl(token, "getMe")))),
});
