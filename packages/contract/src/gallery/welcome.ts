import { button, type GalleryTemplate, heading, inbox, mail, paragraph, payloadOf, scenarioOf, text } from "./kit.ts";

const payload = { startUrl: "https://app.example.com/start" };

export default {
  name: "welcome",
  category: "account",
  about: "Greets people after they have signed up, and follows up after three days if they did not come back.",
  workflow: {
    workflowId: "welcome",
    name: "Welcome",
    description: "A greeting, and a reminder after three days for people who did not open it.",
    tags: ["onboarding"],
    validatePayload: true,
    payloadSchema: payloadOf({ startUrl: text("Where people begin") }),
    steps: [
      inbox(
        "Welcome, {{ subscriber.firstName | default: 'there' }}",
        "Your account is ready. Here is where to begin.",
        {
          label: "Get started",
          url: "{{ payload.startUrl }}",
        },
      ),
      mail("Welcome to {{ brand.name | default: 'your new account' }}", [
        heading('Welcome, {{ subscriber.firstName | default: "there" }}'),
        paragraph("Your account is ready. The first steps take about five minutes, and you can stop at any point."),
        button("Get started", "{{ payload.startUrl }}"),
        paragraph("Do you have a question? Reply to this mail: a person reads it."),
      ]),
      { stepId: "wait", name: "Wait", type: "delay", controlValues: { type: "regular", amount: 3, unit: "days" } },
      mail(
        "Can we help you begin?",
        [
          heading("Your account is waiting for you"),
          paragraph(
            "Three days ago you signed up. If something kept you from starting, reply and tell us what it was.",
          ),
          button("Continue where you left off", "{{ payload.startUrl }}"),
        ],
        {
          stepId: "reminder",
          name: "Reminder",
          controlValues: { skip: { "==": [{ var: "steps.inbox.read" }, true] } },
        },
      ),
    ],
  },
  payload,
  scenario: scenarioOf("welcome", {
    name: "A new customer is greeted, and reminded after three days",
    payload,
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", subject: "Welcome, Ada" },
      { to: "ada", channel: "email", at: "+0m", subject: { contains: "Welcome to" }, links: [payload.startUrl] },
      { to: "ada", channel: "email", at: "+3d", subject: "Can we help you begin?" },
    ],
  }),
} satisfies GalleryTemplate;
