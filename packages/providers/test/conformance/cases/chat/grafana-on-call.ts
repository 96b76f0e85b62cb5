import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://oncall-prod-eu-west-0.grafana.net/oncall/integrations/v1/formatted_webhook/s3cret-key/";
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};
const credentials = {
  alertUid: "08d6891a-835c-e661-39fa-96b6a9e26552",
  title: "The whole system is down",
  imageUrl: "https://example.com/duck.jpeg",
  state: "alerting",
  externalLink: "https://example.com/details",
};
const fields = {
  alert_uid: "08d6891a-835c-e661-39fa-96b6a9e26552",
  title: "The whole system is down",
  image_url: "https://example.com/duck.jpeg",
  state: "alerting",
  link_to_upstream_details: "https://example.com/details",
};

export default providerCase({
  id: "grafana-on-call",
  docs: "https://grafana.com/docs/oncall/latest/configure/integrations/references/webhook/",
  credentials,
  minimal: { message, request: { method: "POST", url: webhookUrl, json: { ...fields, message: "Hi" } } },
  rich: {
    message: { ...message, text: "Grüße 🎉", extra: { state: "ok", title: "All is well" } },
    request: {
      method: "POST",
      url: webhookUrl,
      json: { ...fields, state: "ok", title: "All is well", message: "Grüße 🎉" },
    },
  },
  accepted: { reply: { status: 200, body: "Ok." } },
  more: [
    {
      message,
      credentials: {},
      request: { method: "POST", url: webhookUrl, json: { alert_uid: messageId, message: "Hi" } },
      accepted: { reply: { status: 200, body: "Ok." } },
    },
  ],
  errors: [
    { name: "a removed integration", reply: { status: 404 }, outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad body", reply: { status: 400 }, outcome: { kind: "rejected", class: "content" } },
    { name: "the rate limit", reply: { status: 429, body: "Ratelimited" }, outcome: { kind: "retry" } },
  ],
});
