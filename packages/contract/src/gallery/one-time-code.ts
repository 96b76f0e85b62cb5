import {
  code,
  critical,
  type GalleryTemplate,
  heading,
  mail,
  paragraph,
  payloadOf,
  scenarioOf,
  small,
  sms,
  text,
} from "./kit.ts";

const payload = { code: "482913", expiresIn: "10 minutes" };

/** A code that arrives later is of no use. */
const deadlineSeconds = 600;

export default {
  name: "one-time-code",
  category: "account",
  about: "Sends a sign-in code by SMS and email.",
  workflow: {
    workflowId: "one-time-code",
    name: "One-time code",
    description: "A code for signing in. It is not sent once it has expired.",
    tags: ["security"],
    severity: "high",
    ...critical,
    validatePayload: true,
    payloadSchema: payloadOf({ code: text("The code"), expiresIn: text("Such as: 10 minutes") }),
    steps: [
      sms(
        "{{ payload.code }} is your {{ brand.name }} code. It works for {{ payload.expiresIn }}. Never share it with anyone.",
        { deadlineSeconds },
      ),
      mail(
        "{{ payload.code }} is your code",
        [
          heading("Your code"),
          code("{{ payload.code }}"),
          paragraph("Enter it where you were asked for it. It works for {{ payload.expiresIn }}."),
          small(
            "We never ask for this code by phone or email. If you did not request it, someone else tried to sign in.",
          ),
        ],
        { deadlineSeconds },
      ),
    ],
  },
  payload,
  scenario: scenarioOf("one-time-code", {
    name: "A code arrives by SMS and email at once",
    payload,
    messages: [
      { to: "ada", channel: "sms", at: "+0m", code: "482913" },
      { to: "ada", channel: "email", at: "+0m", subject: "482913 is your code", body: { contains: "10 minutes" } },
    ],
  }),
} satisfies GalleryTemplate;
