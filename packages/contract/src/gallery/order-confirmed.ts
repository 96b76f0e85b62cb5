import {
  button,
  divider,
  type GalleryTemplate,
  heading,
  inbox,
  listOf,
  mail,
  number,
  paragraph,
  payloadOf,
  repeat,
  scenarioOf,
  text,
} from "./kit.ts";

const payload = {
  orderId: "1042",
  total: "€ 54.00",
  address: "1 Main Street, Springfield",
  orderUrl: "https://shop.example.com/orders/1042",
  items: [
    { name: "Coffee grinder", quantity: 1, price: "€ 42.00" },
    { name: "Filters", quantity: 2, price: "€ 12.00" },
  ],
};

export default {
  name: "order-confirmed",
  category: "orders",
  about: "Confirms an order with its items, total and address.",
  workflow: {
    workflowId: "order-confirmed",
    name: "Order confirmed",
    description: "The order with its items, total and address.",
    tags: ["orders"],
    validatePayload: true,
    payloadSchema: payloadOf({
      orderId: text("The number of the order"),
      total: text("With its currency"),
      address: text("Where it is sent to"),
      orderUrl: text("Where the order is shown"),
      items: listOf({ name: text("What"), quantity: number("How many"), price: text("Of all of them") }),
    }),
    steps: [
      inbox("Order {{ payload.orderId }} is confirmed", "{{ payload.items.size }} items, {{ payload.total }}", {
        url: "{{ payload.orderUrl }}",
      }),
      mail("Thank you: order {{ payload.orderId }} is confirmed", [
        heading("Thank you for your order"),
        paragraph(
          'Hello {{ subscriber.firstName | default: "there" }}, we have received order **{{ payload.orderId }}** and ' +
            "will tell you when it is on its way.",
        ),
        divider,
        repeat(
          "payload.items",
          paragraph("{{ payload.items.quantity }} × **{{ payload.items.name }}**, {{ payload.items.price }}"),
        ),
        paragraph("**Total: {{ payload.total }}**"),
        divider,
        paragraph("We send it to: {{ payload.address }}"),
        button("View the order", "{{ payload.orderUrl }}"),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("order-confirmed", {
    name: "An order is confirmed with its items",
    payload,
    messages: [
      { to: "ada", channel: "in_app", subject: "Order 1042 is confirmed", body: "2 items, € 54.00" },
      {
        to: "ada",
        channel: "email",
        subject: "Thank you: order 1042 is confirmed",
        body: { matches: "1 × Coffee grinder, € 42.00[\\s\\S]*2 × Filters, € 12.00[\\s\\S]*Total: € 54.00" },
        links: [payload.orderUrl],
      },
    ],
  }),
} satisfies GalleryTemplate;
