// Rocket.Chat, as a user of the server. Credentials: the user's account, Personal Access Tokens. The subscriber's
// endpoint names the server as its URL and the room's id as its channel. API:
// https://developer.rocket.chat/apidocs/send-message Retracting: https://developer.rocket.chat/apidocs/update-message
// https://developer.rocket.chat/apidocs/delete-chat-message. Documentation seen: errors of these two have no code but a
// sentence, which is read in the server's source.

import { readWebhook, targetOf } from "../kit/chat.ts";
import { secret, text } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { ChatMessage } from "../kit/message.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { baseUrl, type HttpRequest, post } from "../kit/request.ts";
import { sentId, type Undone, type UndoneCodes, undoneByCode } from "../kit/unsend.ts";

const classes: ErrorClasses = {
  "error-action-not-allowed": "recipient",
  "error-invalid-room": "recipient",
  "error-not-allowed": "recipient",
  "error-room-archived": "recipient",
  "error-room-does-not-exist": "recipient",
  "error-too-many-requests": "retry",
};

type Login = { token: string; user: string };

function call(
  message: ChatMessage,
  method: string,
  { token, user }: Login,
  json: (room: string) => object,
): HttpRequest {
  const { webhookUrl, channel } = targetOf(message, "webhook");
  if (!channel) {
    throw new SendError(
      rejected("recipient", "The subscriber's endpoint names no room: its id belongs into `channel`"),
    );
  }
  const headers = { "x-auth-token": token, "x-user-id": user };
  return post(`${baseUrl(webhookUrl)}/api/v1/chat.${method}`, { headers, json: json(channel) });
}

const read = (reply: HttpReply) =>
  readWebhook(reply, { id: textAt(reply.json, "message", "_id"), code: textAt(reply.json, "errorType"), classes });

const undone: UndoneCodes = {
  gone: ["no message"],
  impossible: {
    "another room": "The message is no longer in the room it was sent to",
    "error-action-not-allowed": "The workspace does not allow the sender to change or delete messages",
    "error-app-prevented-deleting": "An app of the workspace prevents deleting the message",
    "error-message-editing-blocked": "The message is too old: the workspace does not allow editing it any longer",
  },
};

async function change(request: HttpRequest, io: Io): Promise<Undone> {
  const reply = await io.http(request);
  const said = textAt(reply.json, "error") ?? "";
  const isMissing = said.startsWith("No message found");
  const isElsewhere = said.startsWith("The room id provided does not match");
  const code = isMissing ? "no message" : isElsewhere ? "another room" : textAt(reply.json, "errorType");
  return undoneByCode(code, read(reply), undone);
}

export default defineProvider({
  id: "rocket-chat",
  channel: "chat",
  name: "Rocket.Chat",
  docs: "https://developer.rocket.chat/apidocs/send-message",
  help: "Create a token under My Account, Personal Access Tokens; it is shown together with the user's id.",
  credentials: { token: secret("Personal Access Token (x-auth-token)"), user: text("User id (x-user-id)") },
  request: (message, login) => call(message, "sendMessage", login, (rid) => ({ message: { rid, msg: message.text } })),
  overrideNames: { members: ["alias", "emoji", "avatar", "tmid", "attachments", "customFields"] },
  extraAt: ["message"],
  read,
  unsend: {
    delete: async (sent, login, io) => {
      const msgId = sentId(sent, "Rocket.Chat");
      return change(
        call(sent.content, "delete", login, (roomId) => ({ roomId, msgId })),
        io,
      );
    },
    replace: async (sent, { text: said, extra }, login, io) => {
      const msgId = sentId(sent, "Rocket.Chat");
      const customFields = extra?.customFields;
      return change(
        call(sent.content, "update", login, (roomId) => ({ roomId, msgId, text: said, customFields })),
        io,
      );
    },
  },
});
