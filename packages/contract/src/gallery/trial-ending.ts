import {
  button,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  number,
  paragraph,
  payloadOf,
  scenarioOf,
  small,
  text,
} from "./kit.ts";

const payload = {
  daysLeft: 3,
  endsOn: "5 March",
  price: "€ 12 a month",
  upgradeUrl: "https://app.example.com/upgrade",
};

export default {
  name: "trial-ending",
  category: "billing",
  about: "Says when a trial ends, what happens then, and how to continue.",
  workflow: {
    workflowId: "trial-ending",
    name: "Trial ending",
    description: "A few days before the end of a trial.",
    tags: ["billing"],
    validatePayload: true,
    payloadSchema: payloadOf({
      daysLeft: number("Days until the end"),
      endsOn: text("The day, as the reader writes it"),
      price: text("What continuing costs"),
      upgradeUrl: text("Where a plan is chosen"),
    }),
    steps: [
      inbox("Your trial ends in {{ payload.daysLeft }} days", "Choose a plan to keep everything you have made.", {
        label: "Choose a plan",
        url: "{{ payload.upgradeUrl }}",
      }),
      mail("Your trial ends on {{ payload.endsOn }}", [
        heading("{{ payload.daysLeft }} days left"),
        paragraph(
          "On **{{ payload.endsOn }}** your trial ends. With a plan ({{ payload.price }}) you keep everything you have " +
            "made.",
        ),
        button("Choose a plan", "{{ payload.upgradeUrl }}"),
        small("Without a plan, your account becomes read-only. Nothing is charged, and nothing is deleted."),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("trial-ending", {
    name: "The end of a trial is announced with a price",
    payload,
    messages: [
      { to: "ada", channel: "in_app", subject: "Your trial ends in 3 days" },
      { to: "ada", channel: "email", subject: "Your trial ends on 5 March", body: { contains: "€ 12 a month" } },
    ],
  }),
} satisfies GalleryTemplate;
