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
  sms,
  text,
} from "./kit.ts";

const payload = {
  orderId: "1042",
  carrier: "DHL",
  arrives: "Thursday, 5 March",
  trackUrl: "https://shop.example.com/track/1042",
};

export default {
  name: "shipped",
  category: "orders",
  about: "Says that a parcel is on its way, when it arrives, and where to follow it.",
  workflow: {
    workflowId: "shipped",
    name: "Shipped",
    description: "A parcel is on its way.",
    tags: ["orders"],
    validatePayload: true,
    payloadSchema: payloadOf({
      orderId: text("The number of the order"),
      carrier: text("Who brings it"),
      arrives: text("The day, as the reader writes it"),
      trackUrl: text("Where the parcel is followed"),
    }),
    steps: [
      inbox("Your parcel is on its way", "{{ payload.carrier }} brings it on {{ payload.arrives }}.", {
        label: "Track",
        url: "{{ payload.trackUrl }}",
      }),
      push("Your parcel is on its way", "{{ payload.carrier }} brings it on {{ payload.arrives }}."),
      mail("Order {{ payload.orderId }} is on its way", [
        heading("Your parcel is on its way"),
        paragraph(
          "**{{ payload.carrier }}** brings order {{ payload.orderId }} on **{{ payload.arrives }}**. You can follow " +
            "it at any time.",
        ),
        button("Track the parcel", "{{ payload.trackUrl }}"),
      ]),
      sms(
        "{{ brand.name }} Your parcel arrives on {{ payload.arrives }} with {{ payload.carrier }}: {{ payload.trackUrl }}",
      ),
    ],
  },
  payload,
  scenario: scenarioOf("shipped", {
    name: "A parcel is announced on every channel",
    payload,
    messages: [
      { to: "ada", channel: "in_app", body: "DHL brings it on Thursday, 5 March." },
      { to: "ada", channel: "email", subject: "Order 1042 is on its way", links: [payload.trackUrl] },
      { to: "ada", channel: "sms", body: { contains: "Thursday, 5 March with DHL" } },
    ],
  }),
} satisfies GalleryTemplate;
