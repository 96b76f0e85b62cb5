// GetStream, to a hook in the customer's backend that takes messages for Stream channels. It gets the text and the API
// key in the header that Stream's own webhooks carry, and may name the message in X-Webhook-Id. Documentation seen:
// https://getstream.io/chat/docs/node/ and https://getstream.io/chat/docs/node/webhooks_overview/. Stream's REST API
// wants a token signed with the API secret, which the credentials of this provider do not hold, so the message goes to
// the address of the subscriber's endpoint.

import { readWebhook, targetOf } from "../kit/chat.ts";
import { secret } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { post } from "../kit/request.ts";

export default defineProvider({
  id: "getstream",
  channel: "chat",
  name: "GetStream",
  docs: "https://getstream.io/chat/docs/node/webhooks_overview/",
  help: "The API Key is in the dashboard of GetStream, on the page of the app; the subscriber holds the address of your hook.",
  credentials: { apiKey: secret("API Key") },
  request: (message, { apiKey }) =>
    post(targetOf(message, "webhook").webhookUrl, {
      headers: { "x-api-key": apiKey },
      json: { text: message.text },
    }),
  read: (reply) => readWebhook(reply, { id: reply.headers["x-webhook-id"] }),
});
