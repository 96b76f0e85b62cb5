// Discord, through the webhook of a channel. No credentials: the address of the webhook, which the subscriber's
// endpoint holds, is all (channel settings, Integrations, Webhooks). API:
// https://discord.com/developers/docs/resources/webhook#execute-webhook. The webhook that posted a message may change and
// delete it: https://discord.com/developers/docs/resources/webhook#edit-webhook-message

import { readWebhook, targetOf } from "../kit/chat.ts";
import type { ChatMessage } from "../kit/message.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { baseUrl, del, patch, post } from "../kit/request.ts";
import { pickOverrides, type SentMessage, segment, sentId, type UndoneCodes, undoneByCode } from "../kit/unsend.ts";

const classes: ErrorClasses = {
  10003: "recipient",
  10015: "recipient",
  20028: "retry",
  20029: "retry",
  30046: "retry",
  50006: "content",
  50027: "recipient",
  50035: "content",
};

const gone = "The webhook that posted the message no longer exists";
const undone: UndoneCodes = {
  gone: ["10008"],
  impossible: { 10015: gone, 50005: "Discord does not allow the webhook to change this message", 50027: gone },
};

const read = (reply: HttpReply) =>
  readWebhook(reply, { id: textAt(reply.json, "id"), code: textAt(reply.json, "code"), classes });

/** What the call that edits knows of the members that a message may have. */
const editable = ["content", "embeds", "allowed_mentions", "components", "flags"];

/** The address of a message. One in a thread is found under the thread alone. */
function addressOf(sent: SentMessage<ChatMessage>): string {
  const { webhookUrl } = targetOf(sent.content, "webhook");
  const id = sentId(sent, "Discord");
  const { extra, passthrough } = sent.content;
  const asked = passthrough?.query?.thread_id ?? URL.parse(webhookUrl)?.searchParams.get("thread_id");
  // The first message of a thread has the thread's id.
  const thread = extra?.thread_name === undefined ? asked : id;
  const query = thread ? `?${new URLSearchParams({ thread_id: String(thread) })}` : "";
  return `${baseUrl(webhookUrl)}/messages/${segment(id)}${query}`;
}

export default defineProvider({
  id: "discord",
  channel: "chat",
  name: "Discord",
  docs: "https://discord.com/developers/docs/resources/webhook#execute-webhook",
  help: "Create a webhook in the settings of the channel, under Integrations, and store its address with the subscriber.",
  credentials: {},
  limits: { text: 2000 },
  // Without `wait` Discord responds before it has read the message. Who wants @everyone to work overrides
  // allowed_mentions: a text made from a subscriber's input must not notify a whole server.
  request: (message) =>
    post(targetOf(message, "webhook").webhookUrl, {
      query: { wait: true },
      json: { content: message.text, allowed_mentions: { parse: ["users", "roles"] } },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "content", "username", "avatar_url", "tts", "embeds", "allowed_mentions", "components", "flags",
      "thread_name", "applied_tags", "poll",
    ],
  },
  read,
  unsend: {
    delete: async (sent, _credentials, io) => {
      const reply = await io.http(del(addressOf(sent)));
      return undoneByCode(textAt(reply.json, "code"), read(reply), undone);
    },
    // Discord keeps embeds and components until it gets others.
    replace: async (sent, content, _credentials, io) => {
      const { components } = sent.content.extra ?? {};
      const json = {
        content: content.text,
        embeds: [],
        ...(components === undefined ? {} : { components: [] }),
        allowed_mentions: { parse: ["users", "roles"] },
      };
      const request = withOverrides(patch(addressOf(sent), { json }), pickOverrides(content, editable));
      const reply = await io.http(request);
      return undoneByCode(textAt(reply.json, "code"), read(reply), undone);
    },
  },
});
