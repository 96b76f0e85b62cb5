// A small company as data: what the tests of the dashboard look at, and what its pictures show.
import type { StepIn, TriggerEvent } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { openDatabase } from "../../src/database.ts";
import { startService } from "../../src/service.ts";
import type { Db } from "../../src/store/db.ts";
import type { Browser } from "../app/members/browsers.ts";

/** A service outside of the tests, with a database in this folder. */
export async function startOnFolder(folder: string, apiKey: string) {
  const config = readConfig({
    TIDINGS_PORT: "0",
    TIDINGS_DATA_DIR: folder,
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  const log = pino({ level: "silent" });
  const opening = openDatabase(config, log);
  const service = await startService(config, log, opening);
  return { ...service, databaseUrl: (await opening).url };
}

const people: [id: string, first: string, last: string, phone?: string][] = [
  ["ada", "Ada", "Lovelace", "+14155550100"],
  ["grace", "Grace", "Hopper", "+14155550101"],
  ["katherine", "Katherine", "Johnson"],
  ["margaret", "Margaret", "Hamilton", "+14155550103"],
  ["radia", "Radia", "Perlman"],
  ["barbara", "Barbara", "Liskov", "+14155550105"],
];

const step = (name: string, type: StepIn["type"], controlValues: Record<string, unknown>): StepIn => ({
  name,
  stepId: name.toLowerCase().replaceAll(" ", "-"),
  type,
  controlValues,
});

const letter = (title: string, text: string) =>
  `<div style="font-family:sans-serif;max-width:520px;margin:0 auto;padding:24px"><h1 style="font-size:20px">${title}</h1>` +
  `<p style="line-height:1.6">${text}</p><p><a href="https://example.com" style="background:#0f766e;color:#fff;padding:10px 16px;` +
  `border-radius:6px;text-decoration:none">Open</a></p></div>`;

const workflows: [id: string, name: string, steps: StepIn[]][] = [
  [
    "order-shipped",
    "Order shipped",
    [
      step("In-app", "in_app", {
        subject: "Order {{payload.order}}",
        body: "Your order {{payload.order}} is on its way.",
      }),
      step("Email", "email", {
        subject: "Order {{payload.order}} has shipped",
        body: letter(
          "It is on its way",
          "Hi {{subscriber.firstName}}, order {{payload.order}} left our warehouse today.",
        ),
      }),
    ],
  ],
  [
    "trial-ends",
    "Trial ends",
    [
      step("Wait three days", "delay", { type: "regular", amount: 3, unit: "days" }),
      step("Email", "email", {
        subject: "Your trial ends soon",
        body: letter("Three days left", "Keep what you built."),
      }),
      step("SMS", "sms", { body: "Your trial ends tomorrow." }),
    ],
  ],
  [
    "comment-mention",
    "Comment mention",
    [
      step("In-app", "in_app", { body: "{{payload.author}} mentioned you" }),
      step("Collect for an hour", "digest", { type: "regular", amount: 1, unit: "hours" }),
      step("Email", "email", { subject: "You were mentioned", body: letter("New mentions", "See what they wrote.") }),
    ],
  ],
  [
    "login-code",
    "Login code",
    [
      step("SMS", "sms", { body: "Your code is {{payload.code}}" }),
      step("Email", "email", {
        subject: "Your code",
        body: letter("Your code", "{{payload.code}}"),
        skip: { "==": [{ var: "subscriber.phone" }, ""] },
      }),
    ],
  ],
  [
    "invoice-paid",
    "Invoice paid",
    [
      step("Email", "email", {
        subject: "Thank you",
        body: letter("Invoice {{payload.invoice}} is paid", "Thank you."),
      }),
    ],
  ],
  [
    "maintenance",
    "Planned maintenance",
    [
      step("In-app", "in_app", { body: "Maintenance on {{payload.day}}" }),
      step("Email", "email", { subject: "Maintenance", body: letter("Maintenance", "We will be back soon.") }),
    ],
  ],
];

/** A mail with dark colours, a code, links and an attachment; and a message of each other channel that is captured. */
const bill =
  `<html><head><meta name="color-scheme" content="light dark"><style>body{font-family:sans-serif;margin:0;padding:24px;` +
  `background:#f4f6f7;color:#1c2226}.box{max-width:520px;margin:0 auto;padding:28px;border-radius:12px;background:#fff}` +
  `h1{font-size:22px;margin:0 0 12px}p{line-height:1.6}.button{display:inline-block;padding:11px 18px;border-radius:8px;` +
  `background:#0f766e;color:#fff;text-decoration:none}.code{font:600 28px monospace;letter-spacing:.2em}` +
  `@media (prefers-color-scheme: dark){body{background:#0e1113!important;color:#e8ebed!important}` +
  `.box{background:#1a1f22!important}}</style></head><body>` +
  `<div class="box"><h1>Confirm your address</h1><p>Hi {{subscriber.firstName}}, your confirmation code is</p>` +
  `<p class="code">{{payload.code}}</p><p>It is valid for ten minutes. The invoice of your first month is attached.</p>` +
  `<p><a class="button" href="https://example.com/confirm?order={{payload.order}}">Confirm</a></p>` +
  `<p><a href="https://example.com/help">Questions?</a></p></div></body></html>`;

export const billWorkflow: Parameters<typeof makeWorkflow>[1] = [
  "confirm-address",
  "Confirm address",
  [
    step("Email", "email", { subject: "Confirm your address", body: bill }),
    step("SMS", "sms", { body: "{{payload.code}} is your code for Example. https://example.com/s/{{payload.order}}" }),
  ],
];

const makeWorkflow = (client: Client, [workflowId, name, steps]: [id: string, name: string, steps: StepIn[]]) =>
  client("workflows.create", { body: { workflowId, name, steps, active: true } });

export const billPayload = {
  order: "7",
  code: "482913",
  attachments: [{ name: "Invoice 2026-0117.pdf", mime: "application/pdf", file: btoa("%PDF-1.4 an invoice") }],
};

/** Workflows that wait, for the test clock: two digests, a delay, and a person whose schedule is closed. */
export async function seedWeek(client: Client): Promise<void> {
  for (const [subscriberId, firstName, lastName] of people)
    await client("subscribers.create", {
      body: { subscriberId, firstName, lastName, email: `${subscriberId}@example.com`, timezone: "UTC" },
    });
  const waiting: [id: string, name: string, steps: StepIn[]][] = [
    [
      "mentions",
      "Mentions",
      [
        step("Collect for a day", "digest", { type: "regular", amount: 1, unit: "days" }),
        step("Email", "email", {
          subject: "{{steps.collect-for-a-day.eventCount}} new mentions",
          body: letter("Mentions", "See who mentioned you."),
        }),
      ],
    ],
    [
      "weekly-report",
      "Weekly report",
      [
        step("Collect for a week", "digest", { type: "regular", amount: 7, unit: "days" }),
        step("Email", "email", { subject: "Your week", body: letter("Your week", "What happened in seven days.") }),
      ],
    ],
    [
      "trial",
      "Trial",
      [
        step("Wait three days", "delay", { type: "regular", amount: 3, unit: "days" }),
        step("Email", "email", { subject: "Four days left", body: letter("Four days left", "Keep what you built.") }),
      ],
    ],
  ];
  for (const one of waiting) await makeWorkflow(client, one);
}

export type Seeded = { shipped: string; failed: string; waiting: string; toTopic: string; skipped: string };

/** `crowd`: members of the topic `all-hands`, which one event goes to. */
export async function seedCompany(client: Client, { crowd = 30, mailPort = 9 } = {}): Promise<Seeded> {
  for (const [subscriberId, firstName, lastName, phone] of people) {
    const email = `${subscriberId}@example.com`;
    await client("subscribers.create", { body: { subscriberId, firstName, lastName, email, phone } });
  }
  const members = Array.from({ length: crowd }, (_, number) => `member-${String(number + 1).padStart(3, "0")}`);
  await client("subscribers.createBulk", {
    body: { subscribers: members.map((subscriberId) => ({ subscriberId, email: `${subscriberId}@example.com` })) },
  });
  await client("topics.create", { body: { key: "all-hands", name: "All hands" } });
  for (let start = 0; start < members.length; start += 100)
    await client("topicSubscriptions.create", {
      params: { topicKey: "all-hands" },
      body: { subscriptions: members.slice(start, start + 100) },
    });
  await client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "office-mail",
      name: "Office mail",
      active: true,
      credentials: { host: "127.0.0.1", port: String(mailPort), ignoreTls: true, from: "hello@example.com" },
    },
  });
  for (const one of [...workflows, billWorkflow]) await makeWorkflow(client, one);
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "grace" },
    body: { workflowId: "order-shipped", channels: { email: false } },
  });
  const send = async (event: Partial<TriggerEvent>) =>
    (await client("events.trigger", { body: event as TriggerEvent })).body.transactionId!;
  for (const [order, to] of [
    [1041, "radia"],
    [1042, "barbara"],
    [1043, "katherine"],
  ] as const)
    await send({ name: "order-shipped", to, payload: { order: `T-${order}`, total: 42.5 } });
  const toTopic = await send({
    name: "maintenance",
    to: [{ type: "Topic", topicKey: "all-hands" }],
    payload: { day: "Sunday" },
  });
  await send({ name: "invoice-paid", to: "ada", payload: { invoice: "2026-0117" } });
  const waiting = await send({ name: "trial-ends", to: "margaret", payload: { plan: "team" } });
  for (const author of ["Radia", "Barbara", "Grace"])
    await send({ name: "comment-mention", to: "ada", payload: { author, thread: 7 } });
  // Its integrations are gone. (A person without a phone number is skipped.)
  const retired = { integrationIdentifier: "retired" };
  const overrides = { sms: retired, email: retired };
  const failed = await send({ name: "login-code", to: "katherine", payload: { code: "402918" }, overrides });
  await send({
    name: "invoice-paid",
    to: "margaret",
    payload: { invoice: "2026-0118" },
    overrides: { email: { integrationIdentifier: "office-mail" } },
  });
  await send({ name: "login-code", to: "barbara", payload: { code: "117340" } });
  const skipped = await send({ name: "order-shipped", to: "grace", payload: { order: "T-1044", total: 18 } });
  const shipped = await send({
    name: "order-shipped",
    to: "ada",
    transactionId: "order-T-1045",
    payload: {
      order: "T-1045",
      total: 129.9,
      items: [
        { sku: "LAMP-2", quantity: 1 },
        { sku: "DESK-9", quantity: 1 },
      ],
    },
  });
  await send({ name: "confirm-address", to: "ada", payload: billPayload });
  return { shipped, failed, waiting, toTopic, skipped };
}

/** What goes wrong in the company: dead letters of two workflows, a replay of some, webhooks, reports of a provider. */
export async function seedTroubles(
  client: Client,
  receiverUrl: string,
): Promise<{ replayId: string; webhookId: string }> {
  const phones = people.map(([subscriberId]) => subscriberId);
  const { body: push } = await client("integrations.create", {
    body: {
      providerId: "fcm",
      channel: "push",
      identifier: "mobile-app",
      name: "Mobile app",
      active: true,
      credentials: { serviceAccount: "{}" },
    },
  });
  for (const subscriberId of phones)
    await client("subscribers.replaceCredentials", {
      params: { subscriberId },
      body: {
        providerId: "fcm",
        integrationIdentifier: push.identifier,
        credentials: { deviceTokens: [1, 2, 3].map((device) => `${subscriberId}-${device}`) },
      },
    });
  for (const [workflowId, name] of [
    ["flash-sale", "Flash sale"],
    ["new-device", "New device"],
  ] as const)
    await client("workflows.create", {
      body: {
        workflowId,
        name,
        active: true,
        steps: [step("Push", "push", { subject: name, body: "{{payload.text}}" })],
      },
    });
  const url = (path: string) => `${receiverUrl}${path}`;
  const { body: shop } = await client("webhooks.create", {
    body: { url: url("/shop"), eventTypes: ["message.sent", "message.failed", "workflow.updated"] },
  });
  await client("webhooks.create", { body: { url: url("/gone"), eventTypes: ["message.failed"] } });
  await client("webhooks.create", { body: { url: url("/archive"), active: false } });
  for (const name of ["flash-sale", "new-device"])
    await client("events.trigger", {
      body: { name, to: name === "flash-sale" ? phones : phones.slice(0, 2), payload: { text: "Until midnight" } },
    });
  const letters = async (status: "open" | "replayed") =>
    (await client("deadLetters.list", { query: { status, limit: 1 } })).body.totalCount;
  while ((await letters("open")) < 24) await new Promise((resolve) => setTimeout(resolve, 200));
  const { body: replay } = await client("deadLetterReplays.create", {
    body: { filter: { workflowId: "flash-sale" }, perSecond: 2 },
  });
  while ((await letters("replayed")) < 6) await new Promise((resolve) => setTimeout(resolve, 200));
  await client("deadLetterReplays.pause", { params: { replayId: replay.id } });
  await client("webhooks.test", { params: { webhookId: shop.id } });
  await seedReports(client);
  return { replayId: replay.id, webhookId: shop.id };
}

/** Reports on the messages of an integration: with and without effect, and one with a wrong signature. */
async function seedReports(client: Client): Promise<void> {
  const key = "a key of the provider";
  const capture = (await client("integrations.list")).body.find(
    ({ identifier }) => identifier === "svc-email-default",
  )!;
  const { _id: integrationId = "", _environmentId: environmentId } = capture;
  await client("integrations.update", {
    params: { integrationId },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
  });
  const { data } = (await client("messages.list", { query: { channel: "email", limit: 3 } })).body;
  const ids = data.map(({ _id }) => _id!);
  const send = (body: unknown, password = key) =>
    client.raw("inboundWebhooks.receive", {
      params: { environmentId, integrationId },
      headers: { authorization: `Basic ${Buffer.from(`reports:${password}`).toString("base64")}` },
      body,
    });
  await send(ids.map((messageId) => ({ messageId, status: "delivered" })));
  await send([
    { messageId: ids[0], status: "delivered" },
    { messageId: ids[1], status: "opened" },
    { messageId: ids[2], status: "bounced" },
    { messageId: "01930000-0000-7000-8000-000000000000", status: "delivered" },
  ]);
  await send({ event: "delivered", messageId: ids[0], password: "hunter2" }, "wrong");
}

/** Thirty days of statistics: four providers, of which SendGrid has refused many messages in the last hours. */
export async function seedStatistics(db: Db, environmentId: string): Promise<void> {
  await sql`
    insert into statistics_hours (environment_id, hour, workflow_id, channel, provider_id, reason, sent, delivered, opened,
      failed, refused, skipped, latency)
    select ${environmentId}, h.hour, w.id, p.channel, p.provider_id, '', f.sent, f.sent * 96 / 100, f.sent * 41 / 100,
      f.failed, f.failed, 0, case p.provider_id
        when 'sendgrid' then array[0, f.sent / 4, f.sent / 4, f.sent / 4, f.sent / 8, f.failed, 0, 0, 0, 0, 0]
        else array[f.sent / 2, f.sent / 3, f.sent / 8, 0, 0, 0, 0, 0, 0, 0, 0] end
    from generate_series(1, 720) as n
    cross join lateral (select date_trunc('hour', now()) - make_interval(hours => n) as hour) as h
    cross join (values ('email', 'sendgrid', 'order-shipped', 90), ('email', 'mailgun', 'invoice-paid', 60),
      ('sms', 'twilio', 'login-code', 24), ('push', 'fcm', 'comment-mention', 40)) as p (channel, provider_id, workflow, size)
    join workflows w on w.environment_id = ${environmentId} and w.workflow_id = p.workflow
    cross join lateral (select (p.size * (1.2 + sin(extract(hour from h.hour) / 24 * 6.28 - 2)))::int as sent,
      case when p.provider_id = 'sendgrid' and n <= 6 then 34 - n * 4 else 0 end as failed) as f`.execute(db);
  await sql`
    insert into statistics_hours (environment_id, hour, workflow_id, channel, provider_id, reason, sent, delivered, opened,
      failed, refused, skipped, latency)
    select ${environmentId}, date_trunc('hour', now()) - make_interval(hours => n), w.id, 'email', '', r.reason, 0, 0, 0, 0, 0,
      r.skipped, '{}'
    from generate_series(1, 720) as n
    cross join (values ('filtered_by_subscriber_workflow', 5), ('skipped_by_condition', 3), ('outside_schedule', 1),
      ('attention_rolled_up', 4), ('attention_delayed', 1))
      as r (reason, skipped)
    join workflows w on w.environment_id = ${environmentId} and w.workflow_id = 'order-shipped'`.execute(db);
  await sql`
    insert into statistics_progress (hour, is_final, counted_at)
    select date_trunc('hour', now()) - make_interval(hours => n), true, now() from generate_series(1, 720) as n
    on conflict (hour) do update set is_final = true`.execute(db);
}

/** Everything is published to production, then changed once more in development, so that the two differ. */
export async function seedPublishes(client: Client, owner: Browser): Promise<void> {
  const production = owner.session.environments.find(({ type }) => type === "prod")!._id;
  const publish = () =>
    owner.call("environments.publish", { params: { targetEnvironmentId: production }, body: {} }, production);
  await publish();
  for (const to of ["ada", "grace", "radia"])
    await owner.call("events.trigger", { body: { name: "trial-ends", to, payload: {} } }, production);
  const change = async (workflowId: string, edit: (steps: StepIn[]) => StepIn[], more: object = {}) => {
    const { name, origin, steps } = (await client("workflows.retrieve", { params: { workflowId } })).body;
    const body = { name, origin, preferences: {}, active: true, steps: edit(steps as StepIn[]) as never, ...more };
    await client("workflows.update", { params: { workflowId }, body });
  };
  const withValues = (type: StepIn["type"], values: object) => (steps: StepIn[]) =>
    steps.map((one) => (one.type === type ? { ...one, controlValues: { ...one.controlValues, ...values } } : one));
  await change("invoice-paid", withValues("email", { subject: "Thank you for your payment" }));
  await publish();
  await change("order-shipped", withValues("email", { subject: "Your order {{payload.order}} is on its way" }), {
    tags: ["shop"],
  });
  await change("trial-ends", (steps) => [
    ...withValues("delay", { amount: 5 })(steps),
    step("Wait a day", "delay", { type: "regular", amount: 1, unit: "days" }),
    step("Push", "push", { subject: "Last day", body: "Your trial ends today." }),
  ]);
  await client("workflows.create", {
    body: {
      workflowId: "welcome-team",
      name: "Welcome to the team",
      active: true,
      steps: [
        step("In-app", "in_app", { body: "Welcome!" }),
        step("Email", "email", { subject: "Welcome", body: "Hi" }),
      ],
    },
  });
  await client("workflows.delete", { params: { workflowId: "maintenance" } });
}
