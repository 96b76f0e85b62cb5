import {
  button,
  chat,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  paragraph,
  payloadOf,
  push,
  scenarioOf,
  sms,
  text,
} from "./kit.ts";

const payload = {
  title: "Checkout is slow",
  status: "investigating",
  summary: "Payments take up to a minute. No orders are lost.",
  statusUrl: "https://status.example.com/incidents/12",
};

export default {
  name: "incident",
  category: "operations",
  about: "Reports an incident and its status on every channel at once.",
  workflow: {
    workflowId: "incident",
    name: "Incident",
    description: "An incident and its status, on every channel.",
    tags: ["operations"],
    severity: "high",
    validatePayload: true,
    payloadSchema: payloadOf({
      title: text("What is wrong"),
      status: { type: "string", enum: ["investigating", "identified", "monitoring", "resolved"] },
      summary: text("What it means for the reader"),
      statusUrl: text("Where news are posted"),
    }),
    steps: [
      inbox("{{ payload.title }}: {{ payload.status }}", "{{ payload.summary }}", {
        label: "Status page",
        url: "{{ payload.statusUrl }}",
      }),
      push("{{ payload.title }}", "{{ payload.summary }}"),
      chat("*{{ payload.title }}* ({{ payload.status }}): {{ payload.summary }} {{ payload.statusUrl }}"),
      sms("{{ payload.title }} ({{ payload.status }}): {{ payload.summary }} {{ payload.statusUrl }}"),
      mail("[{{ payload.status }}] {{ payload.title }}", [
        heading("{{ payload.title }}"),
        paragraph("**Status:** {{ payload.status }}"),
        paragraph("{{ payload.summary }}"),
        button("Follow the status page", "{{ payload.statusUrl }}"),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("incident", {
    name: "An incident reaches people on every channel",
    payload,
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", subject: "Checkout is slow: investigating" },
      { to: "ada", channel: "chat", at: "+0m", body: { contains: "No orders are lost" } },
      { to: "ada", channel: "sms", at: "+0m", body: { contains: "https://status.example.com/incidents/12" } },
      { to: "ada", channel: "email", at: "+0m", subject: "[investigating] Checkout is slow" },
    ],
  }),
} satisfies GalleryTemplate;
