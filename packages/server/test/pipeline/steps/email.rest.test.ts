import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { gate, startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { shareService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const held = gate();
const mail = await startScriptedMail(async (address) => {
  if (address.startsWith("held")) await held.opened;
  return null;
});
const { client, production, url } = await shareService();

const credentials = { host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false };
const sender = { from: "shop@example.com", senderName: "Käthes Shop" };

test("without a mail server, development mail is captured and readable", async () => {
  await createWorkflow(client, "captured", [
    email({ subject: "Hi {{ subscriber.firstName }}", body: "<p>{{ payload.n }}</p>" }),
  ]);
  const to = { subscriberId: "cap", email: "cap@example.com", firstName: "Cap" };
  const transactionId = await trigger(client, "captured", to, { n: 7 });
  const [notification] = await settled(client, transactionId);
  assert.equal(notification?.jobs?.[0]?.status, "completed");
  assert.equal(notification?.jobs?.[0]?.providerId, "svc-email");
  const captured = (await client("captured.list", { query: { transactionId } })).body.data;
  assert.equal(captured.length, 1);
  const { subscriberId, subject, html, text, to: recipients } = captured[0]!;
  assert.deepEqual([subscriberId, subject, html, text], ["cap", "Hi Cap", "<p>7</p>", "7"]);
  assert.deepEqual(recipients, ["cap@example.com"]);
});

test("nobody who is suppressed gets a mail or a copy, however the address is written", async () => {
  const sms = { name: "SMS", type: "sms", controlValues: { body: "Hi" } } as const;
  await createWorkflow(client, "copies", [email(), sms]);
  for (const [channel, address] of [["email", "No@Example.com"] as const, ["sms", "+49 1511 2340000"] as const]) {
    await client("suppressions.create", { body: { channel, address } });
  }
  const send = async (overrides: object, phone = "+491700000000") => {
    const to = { subscriberId: "fay", email: "fay@example.com", phone };
    const events = [{ name: "copies", to, overrides }] as never;
    const [result] = (await client("events.triggerBulk", { body: { events } })).body;
    const transactionId = result!.transactionId!;
    const [notification] = await settled(client, transactionId);
    const { data } = (await client("captured.list", { query: { transactionId } })).body;
    const mail = data.find(({ channel }) => channel === "email");
    const details = detailsOf(notification!, "email");
    const left = details.filter((text) => text === "Copy left out, its address is suppressed").length;
    return {
      to: mail && [mail.to, mail.cc, mail.bcc],
      left,
      texts: data.filter((one) => one.channel === "sms").length,
    };
  };
  const fay = ["fay@example.com"];
  const no = "No One <NO@example.com>";
  assert.deepEqual(await send({ email: { to: ["no@example.com", "yes@example.com"], cc: [no] } }), {
    to: [[...fay, "yes@example.com"], [], undefined],
    left: 1,
    texts: 1,
  });
  assert.deepEqual(await send({ email: { bcc: ["no@example.com", "b@example.com"] } }), {
    to: [fay, undefined, ["b@example.com"]],
    left: 1,
    texts: 1,
  });
  // Meant for somebody else altogether, even if only the sending provider's overrides say so.
  const replaced = { replaceToRecipient: true, to: [no, "yes@example.com"] };
  assert.deepEqual(await send({ email: replaced }), { to: undefined, left: 0, texts: 1 });
  assert.deepEqual(await send({ "svc-email": replaced }), { to: undefined, left: 0, texts: 1 });
  assert.deepEqual(
    (await send({ nodemailer: replaced })).to,
    [fay, undefined, undefined],
    "a provider that does not send",
  );
  assert.equal((await send({}, "+49\u20111511\u20112340000")).texts, 0);
});

test("without any integration the message says so", async () => {
  await createWorkflow(production, "nowhere", [email(), inApp({ body: "behind" })]);
  const transactionId = await trigger(production, "nowhere", { subscriberId: "nora", email: "nora@example.com" });
  const [notification] = await settled(production, transactionId);
  assert.deepEqual(
    notification?.jobs?.map((job) => job.status),
    ["failed", "completed"],
  );
  const details = notification!.jobs![0]!.executionDetails;
  assert.deepEqual(
    details.map((entry) => entry.detail),
    ["Step created", "Start sending message", "No active integration for the channel"],
  );
  assert.deepEqual([details.at(-1)?.status, details.at(-1)?.source], ["Failed", "Credentials"]);
  const message = (await messagesOf(production, transactionId)).find((one) => one.channel === "email");
  assert.equal(message?.status, "warning");
  assert.equal(message?.errorId, "email_missing_integration");
  assert.ok(message?.errorText);
});

test("a mail arrives as it was written: subject, html, text, sender, in any script", async () => {
  await client("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      identifier: "smtp",
      active: true,
      credentials: { ...credentials, ...sender },
    },
  });
  await createWorkflow(client, "order", [
    email({
      subject: "Größe für {{ subscriber.firstName }} — 注文 {{ payload.order }}\n",
      body: `<h1>Grüße, {{ subscriber.firstName }}</h1><p onclick="x()">{{ payload.note }}</p>
        <a href="https://example.com/{{ payload.order }}">Bestellung</a><script>alert(1)</script>`,
    }),
  ]);
  const to = { subscriberId: "jürgen@example.com", email: "juergen@example.com", firstName: "Jürgen 😀" };
  const transactionId = await trigger(client, "order", to, { order: 4711, note: "<b>5 < 6</b>" });
  const [notification] = await settled(client, transactionId);
  assert.deepEqual(detailsOf(notification!, "email"), [
    "Step created",
    "Start sending message",
    "Integration selected",
    "Message created",
    "Step queued",
    "Message sent",
  ]);
  assert.equal(notification?.jobs?.[0]?.providerId, "nodemailer");

  const [received, ...more] = mail.mailsTo("juergen@example.com");
  assert.equal(more.length, 0);
  assert.equal(received?.subject, "Größe für Jürgen 😀 — 注文 4711");
  assert.deepEqual([received?.from?.address, received?.from?.name], ["shop@example.com", "Käthes Shop"]);
  assert.equal(received?.to?.[0]?.address, "juergen@example.com");
  assert.ok(received?.html?.includes("<h1>Grüße, Jürgen 😀</h1>"));
  assert.ok(received?.html?.includes("<p>&lt;b&gt;5 &lt; 6&lt;/b&gt;</p>"));
  assert.ok(!received?.html?.includes("script"));
  assert.equal(received?.text?.trim(), "Grüße, Jürgen 😀\n\n<b>5 < 6</b>\n\nBestellung (https://example.com/4711)");
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message?.status, "sent");
  assert.equal(message?.email, "juergen@example.com");
  assert.ok(received?.messageId?.includes(message!._id!), "the id of the mail follows from the id of the message");
});

test("a subscriber without an address: the message says so and the chain goes on", async () => {
  await createWorkflow(client, "homeless", [email(), inApp({ body: "behind" })]);
  const transactionId = await trigger(client, "homeless", "hugo");
  const [notification] = await settled(client, transactionId);
  assert.deepEqual(
    notification?.jobs?.map((job) => job.status),
    ["skipped", "completed"],
  );
  const last = notification!.jobs![0]!.executionDetails.at(-1);
  assert.deepEqual(
    [last?.detail, last?.status, last?.source],
    ["Subscriber has no email address", "Warning", "Payload"],
  );
  const message = (await messagesOf(client, transactionId)).find((one) => one.channel === "email");
  assert.deepEqual([message?.status, message?.errorId], ["warning", "subscriber_missing_email"]);
});

test("a switched-off channel is skipped, without a message", async () => {
  const off = { all: { enabled: true, readOnly: false }, channels: { email: { enabled: false } } };
  await createWorkflow(client, "quiet", [email(), inApp({ body: "behind" })], { preferences: { user: off } as never });
  await createWorkflow(client, "muted", [email()], { preferences: { workflow: off } as never });
  const table: [workflowId: string, detail: string][] = [
    ["quiet", "Step filtered by dashboard preferences"],
    ["muted", "Step filtered by workflow preferences"],
  ];
  for (const [workflowId, detail] of table) {
    const transactionId = await trigger(client, workflowId, { subscriberId: "quinn", email: "quinn@example.com" });
    const [notification] = await settled(client, transactionId);
    assert.equal(notification?.jobs?.[0]?.status, "skipped");
    assert.deepEqual(detailsOf(notification!, "email"), ["Step created", detail]);
    const channels = (await messagesOf(client, transactionId)).map((one) => one.channel);
    assert.ok(!channels.includes("email"));
  }
  assert.deepEqual(mail.mailsTo("quinn@example.com"), []);
});

test("content that does not render fails with its place, and is not sent", async () => {
  await createWorkflow(client, "broken", [email({ subject: "x", body: "line\n{{ payload.x | nosuch }}" })]);
  const transactionId = await trigger(client, "broken", { subscriberId: "rita", email: "rita@example.com" });
  const [notification] = await settled(client, transactionId);
  assert.equal(notification?.jobs?.[0]?.status, "failed");
  const last = notification!.jobs![0]!.executionDetails.at(-1);
  assert.deepEqual([last?.detail, last?.source], ["Message content could not be rendered", "Payload"]);
  assert.equal(JSON.parse(last?.raw ?? "{}").position, "line 2, column 1");
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message?.status, message?.errorId], ["error", "render_failed"]);
  assert.deepEqual(mail.mailsTo("rita@example.com"), []);
});

test("a step behind an email starts only after it was sent", async () => {
  await createWorkflow(client, "ordered", [email(), inApp({ body: "after the mail" })]);
  const transactionId = await trigger(client, "ordered", { subscriberId: "olga", email: "held@example.com" });
  await eventually(() => mail.asked.get("held@example.com"), "the mail server to be asked");
  const [during] = await notificationsOf(client, transactionId);
  assert.deepEqual(
    during?.jobs?.map((job) => job.status),
    ["queued", "pending"],
  );
  assert.deepEqual(await feedOf(client, "olga"), []);
  held.open();
  const [done] = await settled(client, transactionId);
  assert.deepEqual(
    done?.jobs?.map((job) => job.status),
    ["completed", "completed"],
  );
  assert.equal((await feedOf(client, "olga")).length, 1);
  const [sent, stored] = ["email", "in_app"].map((type) =>
    Date.parse(done!.jobs!.find((job) => job.type === type)!.executionDetails.at(-1)!.createdAt!),
  );
  assert.ok(sent! <= stored!);
});

test("what is sent keeps the doctype, lets media queries win, and is never without its content", async () => {
  // With its own layout and captured mail.
  const { apiKeys } = (await client("environments.create", { body: { name: "Sheets", color: "red" } })).body;
  const inside = createClient({ baseUrl: url, apiKey: apiKeys![0]!.key });
  const { layoutId } = (await inside("layouts.create", { body: { layoutId: "sheet", name: "Sheet" } })).body;
  const frame = (body: string) =>
    inside("layouts.update", {
      params: { layoutId },
      body: { name: "Sheet", controlValues: { email: { body, editorType: "html" } } },
    });
  await createWorkflow(inside, "framed", [email({ subject: "Hi", body: "<p>Hello</p>", layoutId })]);
  const sent = async () => {
    const transactionId = await trigger(inside, "framed", { subscriberId: "cap", email: "cap@example.com" });
    await settled(inside, transactionId);
    return (await inside("captured.list", { query: { transactionId } })).body.data[0]!.html!;
  };
  const dark = "@media (prefers-color-scheme: dark) { .card { background: #1b2127; color: #e8eaed } }";
  const sheet = `<style>.card { background: #fff; color: #111 } ${dark}</style>`;
  await frame(`<!doctype html><html><head>${sheet}</head><body><div class="card">{{content}}</div></body></html>`);
  const html = await sent();
  assert.match(html, /^<!doctype html>/i);
  assert.match(html, /style="[^"]*background: ?#fff/);
  assert.match(html, /@media[^{]*\{[^}]*background: ?#1b2127 ?!important[^}]*color: ?#e8eaed ?!important/);
  const { body: faulty } = await frame("<p>no content</p>");
  assert.equal(faulty.issues?.controls?.["email.body"]?.[0]?.issueType, "MISSING_VALUE");
  assert.equal(await sent(), "<p>Hello</p>");
});
