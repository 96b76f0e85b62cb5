import {
  button,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  paragraph,
  payloadOf,
  scenarioOf,
  small,
  text,
} from "./kit.ts";

const payload = {
  number: "2026-014",
  amount: "€ 120.00",
  period: "February 2026",
  dueOn: "16 March 2026",
  invoiceUrl: "https://app.example.com/invoices/2026-014",
};

export default {
  name: "invoice",
  category: "billing",
  about: "Sends an invoice with its amount, its date and a link to the document.",
  workflow: {
    workflowId: "invoice",
    name: "Invoice",
    description: "An invoice, with the amount and the date it is due.",
    tags: ["billing"],
    validatePayload: true,
    payloadSchema: payloadOf({
      number: text("The number of the invoice"),
      amount: text("With its currency"),
      period: text("What it is for"),
      dueOn: text("The date, as the reader writes it"),
      invoiceUrl: text("Where it is shown"),
    }),
    steps: [
      inbox(
        "Invoice {{ payload.number }}: {{ payload.amount }}",
        "For {{ payload.period }}, due {{ payload.dueOn }}.",
        {
          label: "View",
          url: "{{ payload.invoiceUrl }}",
        },
      ),
      mail("Invoice {{ payload.number }} for {{ payload.period }}", [
        heading("Invoice {{ payload.number }}"),
        paragraph("**Amount:** {{ payload.amount }}"),
        paragraph("**For:** {{ payload.period }}"),
        paragraph("**Due:** {{ payload.dueOn }}"),
        button("View the invoice", "{{ payload.invoiceUrl }}"),
        small("Is something wrong with this invoice? Reply to this mail."),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("invoice", {
    name: "An invoice names its amount and its date",
    payload,
    messages: [
      { to: "ada", channel: "in_app", subject: "Invoice 2026-014: € 120.00" },
      { to: "ada", channel: "email", body: { contains: "16 March 2026" }, links: [payload.invoiceUrl] },
    ],
  }),
} satisfies GalleryTemplate;
