import {
  button,
  type GalleryTemplate,
  heading,
  mail,
  number,
  paragraph,
  payloadOf,
  repeat,
  scenarioOf,
  text,
} from "./kit.ts";

const payload = { title: "Landing page", points: 5, url: "https://app.example.com/week" };

export default {
  name: "weekly-summary",
  category: "product",
  about: "Collects what happened during the week, and sends it as one email on Monday at nine.",
  workflow: {
    workflowId: "weekly-summary",
    name: "Weekly summary",
    description: "Trigger it for each thing that happened; one email goes out on Monday morning.",
    tags: ["product"],
    validatePayload: true,
    payloadSchema: payloadOf({
      title: text("What happened"),
      points: number("How much it counts"),
      url: text("Where the week is shown"),
    }),
    steps: [
      { stepId: "collect", name: "Until Monday", type: "digest", controlValues: { type: "timed", cron: "0 9 * * 1" } },
      mail("Your week: {{ steps.collect.eventCount }} things to look back on", [
        heading("Your week"),
        paragraph("**{{ steps.collect.eventCount }}** things happened since last Monday:"),
        repeat(
          "steps.collect.events",
          paragraph("{{ steps.collect.events.payload.title }} ({{ steps.collect.events.payload.points }} points)"),
        ),
        button("See the whole week", "{{ payload.url }}"),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("weekly-summary", {
    name: "A week is one email on Monday morning",
    payload,
    when: [
      { at: "+1d", trigger: "weekly-summary", to: "ada", payload },
      { at: "+3d", trigger: "weekly-summary", to: "ada", payload: { ...payload, title: "Pricing page", points: 8 } },
    ],
    messages: [
      {
        to: "ada",
        channel: "email",
        at: "+7d",
        subject: "Your week: 2 things to look back on",
        body: { matches: "Landing page \\(5 points\\)[\\s\\S]*Pricing page \\(8 points\\)" },
      },
    ],
  }),
} satisfies GalleryTemplate;
