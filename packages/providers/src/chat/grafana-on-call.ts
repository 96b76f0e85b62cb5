// Grafana OnCall (today a part of Grafana IRM), through an integration of the kind "Formatted Webhook", whose address
// the subscriber's endpoint holds. The fields here are what every alert of this integration carries; without an alert
// UID every message is its own alert, and a repeat is not. API:
// https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/

import { readWebhook, targetOf } from "../kit/chat.ts";
import { text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { post } from "../kit/request.ts";

export default defineProvider({
  id: "grafana-on-call",
  channel: "chat",
  name: "Grafana OnCall webhook",
  docs: "https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/",
  help: "Create an integration of the kind Formatted Webhook in OnCall, and store its address with the subscriber.",
  credentials: {
    alertUid: text("Alert UID", { optional: true }),
    title: text("Title", { optional: true }),
    imageUrl: text("Image URL", { optional: true }),
    state: text("Alert State", { optional: true }),
    externalLink: text("External Link", { optional: true }),
  },
  request: (message, { alertUid, title, imageUrl, state, externalLink }) =>
    post(targetOf(message, "webhook").webhookUrl, {
      json: {
        alert_uid: alertUid ?? message.id,
        title,
        image_url: imageUrl,
        state,
        link_to_upstream_details: externalLink,
        message: message.text,
      },
    }),
  overrideNames: { members: ["alert_uid", "title", "image_url", "state", "link_to_upstream_details"] },
  read: (reply) => readWebhook(reply),
});
