// Rocket.Chat, as a user of the server. Credentials: the user's account, Personal Access Tokens. The subscriber's
// endpoint names the server as its URL and the room's id as its channel. API:
// https://developer.rocket.chat/apidocs/send-message

import { readWebhook, targetOf } from "../kit/chat.ts";
import { secret, text } from "../kit/credentials.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, textAt } from "../kit/reply.ts";
import { baseUrl, post } from "../kit/request.ts";

const classes: ErrorClasses = {
  "error-action-not-allowed": "recipient",
  "error-invalid-room": "recipient",
  "error-not-allowed": "recipient",
  "error-room-archived": "recipient",
  "error-room-does-not-exist": "recipient",
  "error-too-many-requests": "retry",
};

export default defineProvider({
  id: "rocket-chat",
  channel: "chat",
  name: "Rocket.Chat",
  docs: "https://developer.rocket.chat/apidocs/send-message",
  help: "Create a token under My Account, Personal Access Tokens; it is shown together with the user's id.",
  credentials: { token: secret("Personal Access Token (x-auth-token)"), user: text("User id (x-user-id)") },
  request: (message, { token, user }) => {
    const { webhookUrl, channel } = targetOf(message, "webhook");
    if (!channel) {
      throw new SendError(
        rejected("recipient", "The subscriber's endpoint names no room: its id belongs into `channel`"),
      );
    }
    return post(`${baseUrl(webhookUrl)}/api/v1/chat.sendMessage`, {
      headers: { "x-auth-token": token, "x-user-id": user },
      json: { message: { rid: channel, msg: message.text } },
    });
  },
  overrideNames: { members: ["alias", "emoji", "avatar", "tmid", "attachments", "customFields"] },
  extraAt: ["message"],
  read: (reply) =>
    readWebhook(reply, { id: textAt(reply.json, "message", "_id"), code: textAt(reply.json, "errorType"), classes }),
});
