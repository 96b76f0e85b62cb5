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

const payload = { resetUrl: "https://app.example.com/reset?token=9b2e", expiresIn: "one hour" };

export default {
  name: "password-reset",
  category: "account",
  about: "Sends a link to choose a new password.",
  workflow: {
    workflowId: "password-reset",
    name: "Password reset",
    description: "The link to choose a new password.",
    tags: ["security"],
    severity: "high",
    ...critical,
    validatePayload: true,
    payloadSchema: payloadOf({
      resetUrl: text("Where a new password is chosen"),
      expiresIn: text("Such as: one hour"),
    }),
    steps: [
      mail(
        "Choose a new password",
        [
          heading("Choose a new password"),
          paragraph("We received a request to reset the password of your account."),
          button("Choose a new password", "{{ payload.resetUrl }}"),
          small(
            "The link works once, for {{ payload.expiresIn }}. If it was not you, ignore this mail: nothing changes.",
          ),
        ],
        { deadlineSeconds: 3_600 },
      ),
    ],
  },
  payload,
  scenario: scenarioOf("password-reset", {
    name: "A forgotten password leads to a link",
    payload,
    messages: [{ to: "ada", channel: "email", at: "+0m", subject: "Choose a new password", links: [payload.resetUrl] }],
  }),
} satisfies GalleryTemplate;
