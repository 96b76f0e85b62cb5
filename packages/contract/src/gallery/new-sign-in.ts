import {
  button,
  critical,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  paragraph,
  payloadOf,
  push,
  scenarioOf,
  text,
} from "./kit.ts";

const payload = {
  device: "Firefox on Linux",
  place: "Berlin, Germany",
  time: "2 March 2026, 10:00",
  reviewUrl: "https://app.example.com/security",
};

export default {
  name: "new-sign-in",
  category: "account",
  about: "Warns people when their account is used on a new device.",
  workflow: {
    workflowId: "new-sign-in",
    name: "New sign-in",
    description: "A warning about a device that was not seen before.",
    tags: ["security"],
    severity: "high",
    ...critical,
    validatePayload: true,
    payloadSchema: payloadOf({
      device: text("Browser and system"),
      place: text("City and country"),
      time: text("As the reader writes it"),
      reviewUrl: text("Where people end sessions"),
    }),
    steps: [
      inbox("New sign-in from {{ payload.place }}", "{{ payload.device }}, {{ payload.time }}. Was it you?", {
        label: "Review",
        url: "{{ payload.reviewUrl }}",
      }),
      push("New sign-in", "{{ payload.device }} in {{ payload.place }}. Was it you?"),
      mail("New sign-in from {{ payload.place }}", [
        heading("Was this you?"),
        paragraph("Your account was used on a device that we had not seen before."),
        paragraph("**Device:** {{ payload.device }}"),
        paragraph("**Place:** {{ payload.place }}"),
        paragraph("**Time:** {{ payload.time }}"),
        paragraph("If it was you, there is nothing to do. If not, end the session and change your password."),
        button("Review sessions", "{{ payload.reviewUrl }}"),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("new-sign-in", {
    name: "A sign-in from a new device is reported at once",
    payload,
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", subject: "New sign-in from Berlin, Germany" },
      { to: "ada", channel: "email", at: "+0m", body: { contains: "Firefox on Linux" }, links: [payload.reviewUrl] },
    ],
  }),
} satisfies GalleryTemplate;
