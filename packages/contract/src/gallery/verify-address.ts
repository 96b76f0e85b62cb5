import {
  button,
  critical,
  type GalleryTemplate,
  heading,
  mail,
  paragraph,
  payloadOf,
  scenarioOf,
  small,
  text,
} from "./kit.ts";

const payload = { verifyUrl: "https://app.example.com/verify?token=4f1c", expiresIn: "24 hours" };

export default {
  name: "verify-address",
  category: "account",
  about: "Asks people to confirm their email address.",
  workflow: {
    workflowId: "verify-address",
    name: "Verify address",
    description: "The link that confirms an email address.",
    tags: ["security"],
    severity: "high",
    ...critical,
    validatePayload: true,
    payloadSchema: payloadOf({ verifyUrl: text("Confirms the address"), expiresIn: text("Such as: 24 hours") }),
    steps: [
      mail("Confirm your email address", [
        heading("Is this your email address?"),
        paragraph("Confirm it, so that we know where to reach you."),
        button("Confirm address", "{{ payload.verifyUrl }}"),
        small("The link works for {{ payload.expiresIn }}. If you did not sign up, you can ignore this mail."),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("verify-address", {
    name: "A new address gets a link that confirms it",
    payload,
    messages: [
      {
        to: "ada",
        channel: "email",
        at: "+0m",
        subject: "Confirm your email address",
        body: { contains: "24 hours" },
        links: [payload.verifyUrl],
      },
    ],
  }),
} satisfies GalleryTemplate;
