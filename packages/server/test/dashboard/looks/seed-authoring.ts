// What authors have on their screens: an order confirmation of every block, a workflow with every type of step,
// categories, a brand, texts in two languages, comments, and people with choices.
import { crc32, deflateSync } from "node:zlib";
import type { StepIn } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import { createWorkflow, settled, trigger } from "@tidings/testkit/verbs";

type Block = { type: string; attrs?: object; text?: string; marks?: { type: string }[]; content?: Block[] };

const text = (words: string, ...marks: string[]): Block => ({
  type: "text",
  text: words,
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
});
const variable = (id: string, fallback?: string): Block => ({ type: "variable", attrs: { id, fallback } });
const line = (...content: Block[]): Block => ({ type: "paragraph", content });
const cell = (type: string, content: Block): Block => ({ type, content: [line(content)] });

/** A banner that needs no network: eight by two pixels, which are drawn larger. */
function drawBanner(): string {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  const row = [
    0,
    ...[15, 30, 55, 90, 130, 165, 190, 205].flatMap((light) => [light / 1.3, 118 + light / 2, 110 + light / 2.2]),
  ];
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Buffer.from([0, 0, 0, 8, 0, 0, 0, 2, 8, 2, 0, 0, 0])),
    chunk("IDAT", deflateSync(Buffer.from([...row, ...row]))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return `data:image/png;base64,${Buffer.concat(parts).toString("base64")}`;
}

const orderMail: Block[] = [
  { type: "heading", attrs: { level: 2 }, content: [text("Thank you, "), variable("subscriber.firstName", "there")] },
  line(text("Order "), variable("payload.orderId"), text(" is on its way. "), text("It is insured.", "bold")),
  { type: "image", attrs: { src: drawBanner(), alt: "A parcel with a green tape", alignment: "center", width: 480 } },
  {
    type: "repeat",
    attrs: { each: "payload.items" },
    content: [
      {
        type: "columns",
        content: [
          { type: "column", attrs: { width: 70 }, content: [line(variable("payload.items.name"))] },
          { type: "column", attrs: { width: 30 }, content: [line(variable("payload.items.price"))] },
        ],
      },
    ],
  },
  { type: "horizontalRule" },
  {
    type: "table",
    content: [
      {
        type: "tableRow",
        content: [cell("tableHeader", text("Total")), cell("tableHeader", variable("payload.total"))],
      },
      {
        type: "tableRow",
        content: [cell("tableCell", text("Sent to")), cell("tableCell", variable("payload.address"))],
      },
    ],
  },
  { type: "button", attrs: { text: "Track the parcel", url: "{{ payload.orderUrl }}", alignment: "left" } },
  {
    type: "section",
    attrs: {
      backgroundColor: "#ecfdf5",
      paddingTop: 16,
      paddingRight: 16,
      paddingBottom: 16,
      paddingLeft: 16,
      showIf: { "==": [{ var: "payload.isMember" }, true] },
    },
    content: [line(text("As a member, you pay no postage."))],
  },
  { type: "blockquote", content: [line(text("The best coffee of the street."))] },
  { type: "footer", content: [text("Questions? Reply to this email.")] },
];

export const orderPayload = {
  orderId: "1042",
  total: "€ 54.00",
  address: "1 Main Street, Springfield",
  orderUrl: "https://shop.example.com/orders/1042",
  isMember: true,
  items: [
    { name: "Coffee grinder", price: "€ 42.00" },
    { name: "Paper filters", price: "€ 12.00" },
  ],
};

const object = (properties: object) => ({ type: "object", properties }) as never;
const word = { type: "string" };
const payloadSchema = object({
  orderId: word,
  total: word,
  address: word,
  orderUrl: word,
  isMember: { type: "boolean" },
  items: { type: "array", items: object({ name: word, price: word }) },
});

const condition = {
  and: [
    { "==": [{ var: "subscriber.data.plan" }, "pro"] },
    { or: [{ ">": [{ var: "payload.amount" }, 100] }, { in: [{ var: "payload.country" }, ["AT", "CH", "DE"]] }] },
  ],
};

const step = (name: string, type: StepIn["type"], controlValues: object): StepIn => ({
  name,
  stepId: name.toLowerCase().replaceAll(" ", "-"),
  type,
  controlValues: controlValues as never,
});

const everyStep: StepIn[] = [
  step("In-app", "in_app", {
    subject: "{{ payload.who }} invited you",
    body: "Join {{ payload.project }}, and see what is planned for spring.",
    primaryAction: { label: "Accept", redirect: { url: "https://app.example.com/accept", target: "_self" } },
  }),
  step("Let two through", "throttle", { type: "fixed", amount: 1, unit: "hours", threshold: 2 }),
  step("Collect", "digest", { type: "timed", cron: "0 9 * * 1,4" }),
  step("Wait", "delay", { type: "regular", amount: 3, unit: "days" }),
  step("Email", "email", {
    subject: "Invitations to {{ payload.project }}",
    body: "<h1>Invitations</h1><p>See them <a href='https://app.example.com'>in the application</a>.</p>",
    skip: condition,
  }),
  step("SMS", "sms", { body: "{{ payload.who }} invited you to {{ payload.project }}." }),
  step("Push", "push", { subject: "An invitation", body: "{{ payload.who }} invited you to {{ payload.project }}." }),
  step("Chat", "chat", { body: "*{{ payload.who }}* invited you to {{ payload.project }}." }),
];

const people = [
  { subscriberId: "ada", firstName: "Ada", lastName: "Lovelace", locale: "en_US", data: { plan: "pro" } },
  { subscriberId: "noor", firstName: "Noor", lastName: "Haddad", locale: "ar_SA", data: { plan: "free" } },
  { subscriberId: "grace", firstName: "Grace", lastName: "Hopper", locale: "en_GB", data: { plan: "pro" } },
  { subscriberId: "yael", firstName: "Yael", lastName: "Levi", locale: "he_IL", data: { plan: "free" } },
];

const arms = [
  { id: "pro", name: "Pro plan", condition: { "==": [{ var: "subscriber.data.plan" }, "pro"] } },
  { id: "long", name: "Long subject", condition: { "==": [{ var: "steps.subject-line.variant" }, "long"] } },
];
const variants = [
  { id: "short", name: "Short", weight: 3 },
  { id: "long", name: "Long", weight: 1 },
];
const decidingSteps: StepIn[] = [
  step("Subject line", "experiment", { variants, holdOutPercent: 10, goals: ["order.placed"] }),
  step("Reply", "wait", { signal: { name: "reply.sent" }, amount: 2, unit: "days", onTimeout: "end" }),
  step("By plan", "branch", { arms }),
  {
    ...step("Account", "http_request", {
      method: "GET",
      url: "https://api.example.com/accounts/{{ subscriber.subscriberId }}",
      headers: [{ key: "X-Plan", value: "pro" }],
      sampleResponse: { status: 200, body: { plan: "pro" } },
    }),
    arm: "by-plan/pro",
  },
  step("Welcome", "start_workflow", { workflowId: "welcome" }),
  step("Remember", "update_subscriber", { data: '{ "reminded": true }' }),
];

/** Paths of hosted preference pages. Those of the last two are for people who leave. */
export type Authored = { hosted: string; hostedArabic: string; left: string; leftHebrew: string };

export async function seedAuthoring(client: Client): Promise<Authored> {
  for (const one of people)
    await client("subscribers.create", { body: { ...one, email: `${one.subscriberId}@example.com` } });
  await client("brand.update", {
    body: {
      name: "Northwind Coffee",
      colors: { primary: "#0f766e", background: "#f1f5f4", primaryDark: "#5eead4" },
      cornerRadius: 10,
      address: "Northwind Coffee Ltd\n1 Harbour Road, Bristol",
      socialLinks: [
        { network: "website", url: "https://northwind.example" },
        { network: "instagram", url: "https://instagram.com/northwind" },
      ],
    },
  });
  await client("contexts.create", { body: { type: "tenant", id: "globex" } });
  await client("brand.createLayout", { body: { isDefault: true } });
  await seedCategories(client);
  const body = JSON.stringify({ type: "doc", content: orderMail });
  const values = { subject: "Order {{ payload.orderId }} is confirmed", body, editorType: "block" };
  await createWorkflow(
    client,
    "order",
    [
      step("In-app", "in_app", { subject: "Order {{ payload.orderId }}", body: "We pack your order now." }),
      step("Email", "email", { ...values, preheader: "It leaves our roastery tomorrow" }),
    ],
    { name: "Order confirmed", payloadSchema, categoryId: "orders", description: "After a customer has paid." },
  );
  await createWorkflow(client, "invitation", everyStep, {
    name: "Invitation",
    categoryId: "team",
    payloadSchema: object({
      who: { type: "string", examples: ["Grace"] },
      project: { type: "string", examples: ["Apollo"] },
      amount: { type: "number", examples: [120] },
      country: { type: "string", examples: ["DE"] },
    }),
  });
  await createWorkflow(client, "decisions", decidingSteps, { name: "Trial ending" });
  await createWorkflow(client, "offers", [step("Email", "email", { subject: "New beans", body: "<p>Try them.</p>" })], {
    name: "Offers",
    categoryId: "offers",
    isCommercial: true,
  });
  await createWorkflow(client, "draft", [], { name: "Renewal reminder" });
  const doubtful = '<p style="color:#ccc">SALE ENDS TODAY</p><img src="/x.png"><a href="">Buy</a>';
  await createWorkflow(client, "sale", [step("Email", "email", { subject: "", body: doubtful })], { name: "Sale" });
  await client("comments.create", {
    params: { workflowId: "order" },
    body: { stepId: "email", text: "Shall we say when the parcel arrives? Support is asked about it every day." },
  });
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { categoryId: "offers", channels: { email: false } },
  });
  await seedTexts(client);
  return {
    hosted: await pageOf(client, "ada"),
    hostedArabic: await pageOf(client, "noor"),
    left: await pageOf(client, "grace"),
    leftHebrew: await pageOf(client, "yael"),
  };
}

async function seedCategories(client: Client): Promise<void> {
  const categories = [
    { categoryId: "security", name: "Security", description: "Sign-ins and changes to your account.", required: true },
    { categoryId: "orders", name: "Orders", description: "Confirmations, parcels and returns." },
    { categoryId: "team", name: "Team", description: "Invitations and comments.", channels: { sms: false } },
    { categoryId: "offers", name: "Offers", description: "New coffees and discounts.", channels: { push: false } },
  ];
  for (const body of categories) await client("categories.create", { body });
}

async function seedTexts(client: Client): Promise<void> {
  await createWorkflow(
    client,
    "greeting",
    [step("Email", "email", { subject: "{{ t.subject }}", body: "<p>{{ t.greeting }}</p><p>{{ t.bye }}</p>" })],
    { name: "Greeting", isTranslationEnabled: true },
  );
  const save = (locale: string, content: Record<string, string>) =>
    client("translations.create", { body: { resourceType: "workflow", resourceId: "greeting", locale, content } });
  await save("en_US", { subject: "Welcome", greeting: "Good to have you here, {{ subscriber.firstName }}." });
  await save("de_DE", { subject: "Willkommen", greeting: "Schön, dass Sie da sind, {{ subscriber.firstName }." });
  await save("en_US", { subject: "Welcome to Northwind", greeting: "Good to have you here." });
}

/** The path in the unsubscribe header of an email. */
async function pageOf(client: Client, subscriberId: string): Promise<string> {
  const transactionId = await trigger(client, "order", subscriberId, orderPayload);
  await settled(client, transactionId);
  const { data } = (await client("captured.list", { query: { transactionId } })).body;
  const headers = data.find(({ channel }) => channel === "email")!.headers as Record<string, string>;
  return new URL(headers["List-Unsubscribe"]!.slice(1, -1)).pathname;
}
