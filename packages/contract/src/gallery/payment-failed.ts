import { button, type GalleryTemplate, heading, inbox, mail, paragraph, payloadOf, scenarioOf, text } from "./kit.ts";

const payload = {
  amount: "€ 120.00",
  reason: "The card has expired",
  retryOn: "5 March",
  updateUrl: "https://app.example.com/billing",
};

export default {
  name: "payment-failed",
  category: "billing",
  about: "Says why a payment failed and when it is tried again, with a reminder the day before.",
  workflow: {
    workflowId: "payment-failed",
    name: "Payment failed",
    description: "The reason, the next attempt, and a reminder two days later.",
    tags: ["billing"],
    severity: "high",
    validatePayload: true,
    payloadSchema: payloadOf({
      amount: text("With its currency"),
      reason: text("As a sentence without its full stop"),
      retryOn: text("The day of the next attempt"),
      updateUrl: text("Where the payment method is changed"),
    }),
    steps: [
      inbox(
        "We could not charge {{ payload.amount }}",
        "{{ payload.reason }}. We try again on {{ payload.retryOn }}.",
        {
          label: "Update card",
          url: "{{ payload.updateUrl }}",
        },
      ),
      mail("Your payment of {{ payload.amount }} failed", [
        heading("Your payment did not go through"),
        paragraph("{{ payload.reason }}. We try again on **{{ payload.retryOn }}**. Until then nothing changes."),
        button("Update the payment method", "{{ payload.updateUrl }}"),
      ]),
      { stepId: "wait", name: "Wait", type: "delay", controlValues: { type: "regular", amount: 2, unit: "days" } },
      mail(
        "Tomorrow we try again to charge {{ payload.amount }}",
        [
          heading("Please check your payment method"),
          paragraph("On {{ payload.retryOn }} we try again. Cancel this reminder by updating your payment method."),
          button("Update the payment method", "{{ payload.updateUrl }}"),
        ],
        { stepId: "reminder", name: "Reminder" },
      ),
    ],
  },
  payload,
  scenario: scenarioOf("payment-failed", {
    name: "A failed payment is explained, and a payment that succeeds cancels the reminder",
    payload,
    when: [
      { at: "+0m", trigger: "payment-failed", to: "ada", payload },
      { at: "+5d", trigger: "payment-failed", to: "ada", payload, transactionId: "second" },
      { at: "+6d", cancel: "second" },
    ],
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", body: "The card has expired. We try again on 5 March." },
      { to: "ada", channel: "email", at: "+0m", subject: "Your payment of € 120.00 failed" },
      { to: "ada", channel: "email", at: "+2d", subject: "Tomorrow we try again to charge € 120.00" },
      { to: "ada", channel: "in_app", at: "+5d" },
      { to: "ada", channel: "email", at: "+5d", subject: "Your payment of € 120.00 failed" },
    ],
  }),
} satisfies GalleryTemplate;
