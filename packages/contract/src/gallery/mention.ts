import {
  button,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  paragraph,
  payloadOf,
  push,
  scenarioOf,
  text,
  unlessRead,
} from "./kit.ts";

const payload = {
  author: "Grace",
  text: "@ada can you look at this?",
  document: "Flow-matic",
  url: "https://app.example.com/documents/1#c2",
};

export default {
  name: "mention",
  category: "team",
  about: "Notifies a person who was mentioned, and sends an email only if they did not see it within ten minutes.",
  workflow: {
    workflowId: "mention",
    name: "Mention",
    description: "In the inbox and on the phone at once; by email if it was not read.",
    tags: ["team"],
    validatePayload: true,
    payloadSchema: payloadOf({
      author: text("Who wrote"),
      text: text("What was written"),
      document: text("Where it was written"),
      url: text("Where it is read"),
    }),
    steps: [
      inbox("{{ payload.author }} mentioned you in {{ payload.document }}", "{{ payload.text }}", {
        label: "Reply",
        url: "{{ payload.url }}",
      }),
      push("{{ payload.author }} mentioned you", "{{ payload.text }}"),
      { stepId: "wait", name: "Wait", type: "delay", controlValues: { type: "regular", amount: 10, unit: "minutes" } },
      mail(
        "{{ payload.author }} mentioned you in {{ payload.document }}",
        [
          heading("{{ payload.author }} mentioned you"),
          { type: "blockquote", content: [paragraph("{{ payload.text }}")] },
          button("Reply", "{{ payload.url }}"),
        ],
        { controlValues: unlessRead },
      ),
    ],
  },
  payload,
  scenario: scenarioOf("mention", {
    name: "A mention that was read needs no email",
    payload,
    when: [
      { at: "+0m", trigger: "mention", to: "ada", payload },
      { at: "+5m", read: "ada" },
      { at: "+1h", trigger: "mention", to: "ada", payload: { ...payload, author: "Radia" } },
    ],
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", subject: "Grace mentioned you in Flow-matic" },
      { to: "ada", channel: "in_app", at: "+1h", subject: "Radia mentioned you in Flow-matic" },
      { to: "ada", channel: "email", at: "+1h10m", subject: "Radia mentioned you in Flow-matic" },
    ],
  }),
} satisfies GalleryTemplate;
