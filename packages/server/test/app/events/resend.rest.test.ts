// One step of a run, sent again by hand: that step alone, with today's address, once, and only where the rules allow
// it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification, ResentStep } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { only } from "@tidings/testkit/lists";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { refused } from "@tidings/testkit/refusals";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { integration, secretKey, step } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
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
import { sql } from "kysely";
import { invite, signInOwner } from "../members/browsers.ts";

let isMailDown = false;
const mail = await startScriptedMail((address) => (isMailDown ? 421 : address.startsWith("gone") ? 550 : null));
let brokenPhones = new Set<string>();
const phones = await startReceiver(({ body }) => ({
  status: [...brokenPhones].some((token) => body.includes(token)) ? 400 : 200,
}));
const service = await startTestService({ TIDINGS_CIRCUIT_FAILURES: "1", TIDINGS_CIRCUIT_FIRST_PROBE: "300" });
const { client, production, db } = service;
const owner = await signInOwner(service);
const support = await invite(service, owner, "support");
const viewer = await invite(service, owner, "viewer");
const prod = owner.session.environments.find(({ type }) => type === "prod")!._id;
const server = {
  ...{ host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false },
  ...{ from: "shop@example.com", senderName: "Shop" },
};
await production("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "smtp",
    active: true,
    credentials: server,
  },
});
await createWorkflow(production, "order", [
  inApp({ body: "Order" }),
  email({ subject: "Order", body: "{{payload.n}}" }),
]);
await createWorkflow(production, "mail", [
  email({ subject: "Hi {{subscriber.firstName}}", body: "<p>{{payload.n}}</p>" }),
]);

const to = (subscriberId: string, address = `${subscriberId}@example.com`) => ({ subscriberId, email: address });
const input = (notification: Notification, stepId = "email") => ({
  params: { notificationId: notification._id!, stepId },
});
const resend = async (notification: Notification, stepId = "email") =>
  (await production("notifications.resendStep", input(notification, stepId))).body;
const refuse = async (notification: Notification, code: Parameters<typeof refused>[3], stepId = "email") =>
  (await refused(production, "notifications.resendStep", input(notification, stepId), code)).message;
const mailsTo = (address: string) => mail.mailsTo(address);
const arrived = (address: string, count: number) =>
  eventually(() => mailsTo(address).length >= count || null, `${count} mails to ${address}`);

async function run(workflow: string, person: string | object, payload: object = { n: 1 }): Promise<Notification> {
  const transactionId = await trigger(production, workflow, person, payload);
  return only(await settled(production, transactionId));
}

test("a refused address is corrected, and support sends the mail again: that step alone, once, with a trace", async () => {
  const failed = await run("order", to("ada", "gone-ada@example.com"), { n: 4711 });
  assert.deepEqual(
    failed.jobs!.map(({ status }) => status),
    ["completed", "failed"],
  );
  await support.call(
    "subscribers.update",
    { params: { subscriberId: "ada" }, body: { email: "ada@example.com" } },
    prod,
  );

  const words = errorOf(await viewer.call("notifications.resendStep", input(failed), prod), "ROLE_NOT_ALLOWED").message;
  assert.equal(words, "Only support, editors and owners can do this. Your role is viewer: ask an owner for access");

  const clicks = await Promise.all([1, 2, 3].map(() => support.call("notifications.resendStep", input(failed), prod)));
  assert.deepEqual(clicks.map(({ status }) => status).sort(), [201, 409, 409]);
  for (const click of clicks.filter(({ status }) => status === 409)) errorOf(click, "RESEND_IN_PROGRESS");
  const answer = clicks.find(({ status }) => status === 201)!.body as ResentStep;
  assert.equal(answer.messageIds.length, 1);
  assert.deepEqual(answer, {
    transactionId: failed.transactionId,
    notificationId: failed._id,
    subscriberId: "ada",
    workflowId: "order",
    stepId: "email",
    channel: "email",
    status: "queued",
    messageIds: answer.messageIds,
  });

  const done = only(await settled(production, failed.transactionId));
  await arrived("ada@example.com", 1);
  assert.match(mailsTo("ada@example.com")[0]!.html ?? "", /4711/, "the payload of the event");
  assert.equal((await feedOf(production, "ada")).length, 1, "the in-app message is not repeated");
  assert.deepEqual(
    done.jobs!.map(({ status }) => status),
    ["completed", "completed"],
  );
  const details = done.jobs![1]!.executionDetails;
  const resent = details.filter(({ detail }) => detail === "Sent again by hand");
  assert.equal(resent.length, 1);
  assert.equal(JSON.parse(resent[0]!.raw!).by, "The support");
  assert.equal(detailsOf(done, "email").at(-1), "Message sent");
  const messages = (await messagesOf(production, failed.transactionId)).filter(({ channel }) => channel === "email");
  assert.deepEqual(messages.map(({ status }) => status).sort(), ["error", "sent"]);

  const { data } = (await owner.call("auditLog.list", { query: { operation: "notifications.resendStep" } })).body as {
    data: { target: string; actor: { name: string }; after: { answer: ResentStep } }[];
  };
  assert.equal(data.length, 1, "an entry for what was sent, none for what was refused");
  assert.equal(data[0]!.actor.name, "support@example.com");
  assert.equal(data[0]!.after.answer.subscriberId, "ada");
  assert.match(await refuse(failed, "RESEND_IN_PROGRESS"), /sent again a moment ago by The support/);
});

test("a mail that was sent and lost goes out as a new message; a step has its limit", async () => {
  const sent = await run("mail", to("bob"));
  const { messageIds } = await resend(sent);
  await arrived("bob@example.com", 2);
  const ids = mailsTo("bob@example.com").map(({ messageId }) => messageId);
  assert.notEqual(ids[0], ids[1], "a provider that knows the id would drop it");
  await settled(production, sent.transactionId);
  const { body } = await production("explain.retrieve", {
    query: { transactionId: sent.transactionId, subscriberId: "bob" },
  });
  assert.ok(
    body.steps[0]!.messages.some(({ _id }) => _id === messageIds[0]),
    "the run shows the new message",
  );

  const many = JSON.stringify(Array.from({ length: 10 }, () => ({ d: "resent", t: 0, r: { by: "x", at: 0 } })));
  await sql`update jobs set details = details || ${many}::jsonb where notification_id = ${sent._id}`.execute(db);
  await refuse(sent, "RESEND_LIMIT");
});

test("preferences and suppressed addresses still count, and what has no address is refused", async () => {
  await production("subscribers.create", { body: to("carla") });
  const choose = (enabled: boolean) =>
    production("subscribers.updatePreferences", {
      params: { subscriberId: "carla" },
      body: { channels: { email: enabled } },
    });
  await choose(false);
  // A run that ended at once: its jobs have no rows.
  const skipped = await run("mail", "carla");
  assert.equal(skipped.jobs![0]!.status, "skipped");
  assert.match(await refuse(skipped, "RESEND_REFUSED"), /^Nothing was sent: .*turned.*off/i);
  await choose(true);
  assert.equal((await resend(skipped)).status, "queued");
  await arrived("carla@example.com", 1);
  const after = only(await settled(production, skipped.transactionId));
  assert.equal(after.jobs![0]!.status, "completed");
  assert.ok(detailsOf(after, "email").includes("Sent again by hand"));

  await production("suppressions.create", { body: { channel: "email", address: "dora@example.com" } });
  const held = await run("mail", to("dora"));
  const text = await refuse(held, "RESEND_REFUSED");
  assert.match(text, /dora@example\.com was put on the suppression list by hand; take it off the list first/);
  await production("suppressions.delete", { params: { suppressionId: "dora@example.com" } });
  await resend(held);
  await arrived("dora@example.com", 1);

  const nowhere = await run("mail", { subscriberId: "emil" });
  assert.match(await refuse(nowhere, "RESEND_REFUSED"), /no email/i);
  assert.equal((await messagesOf(production, nowhere.transactionId)).filter((one) => one.status === "sent").length, 0);
});

test("the condition of a skipped step still counts; in-app messages are there at once", async () => {
  const skip = { "==": [{ var: "subscriber.data.plan" }, "free"] };
  await createWorkflow(production, "paid", [inApp({ body: "New" }), email({ subject: "Paid", body: "Paid", skip })]);
  const skipped = await run("paid", { ...to("fritz"), data: { plan: "free" } });
  assert.equal(skipped.jobs![1]!.status, "skipped");
  await refuse(skipped, "RESEND_REFUSED");
  await production("subscribers.update", { params: { subscriberId: "fritz" }, body: { data: { plan: "pro" } } });
  await resend(skipped);
  await arrived("fritz@example.com", 1);
  const again = await resend(skipped, "in-app");
  assert.deepEqual([again.status, again.channel], ["sent", "in_app"]);
  assert.equal((await feedOf(production, "fritz")).length, 2);
});

test("what cannot be sent again: other step types, unknown steps, foreign ids, what has not begun or was canceled", async () => {
  await createWorkflow(production, "waits", [step("delay", { type: "regular", amount: 1, unit: "days" }), email()]);
  const transactionId = await trigger(production, "waits", to("gerd"));
  const [waiting] = await eventually(async () => {
    const found = await notificationsOf(production, transactionId);
    return found[0]?.jobs?.[0]?.status === "delayed" ? found : null;
  }, "the delay");
  assert.match(await refuse(waiting!, "STEP_NOT_RESENDABLE", "delay"), /a delay step sends nothing/);
  assert.match(await refuse(waiting!, "STEP_NOT_RESENDABLE"), /has not begun/);
  await production("events.cancel", { params: { transactionId } });
  assert.match(await refuse(waiting!, "STEP_NOT_RESENDABLE"), /was canceled/);
  await refuse(waiting!, "STEP_NOT_FOUND", "other");
  await refused(client, "notifications.resendStep", input(waiting!), "NOTIFICATION_NOT_FOUND");
  const unknown = { params: { notificationId: "nothing", stepId: "email" } };
  await refused(production, "notifications.resendStep", unknown, "NOTIFICATION_NOT_FOUND");

  const gone = await run("mail", to("hugo"));
  await production("subscribers.delete", { params: { subscriberId: "hugo" } });
  assert.match(await refuse(gone, "STEP_NOT_RESENDABLE"), /subscriber was deleted/);
});

test("a step that waits for a schedule is sent now, and its run goes on once", async () => {
  const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
  await stage.client("subscribers.create", { body: { ...to("ida"), timezone: "Europe/Berlin" } });
  const weeklySchedule = { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } };
  await stage.client("subscribers.updatePreferences", {
    params: { subscriberId: "ida" },
    body: { schedule: { isEnabled: true, weeklySchedule } },
  });
  await createWorkflow(stage.client, "held", [email(), inApp({ body: "after" })]);
  const transactionId = await trigger(stage.client, "held", "ida");
  const [held] = await eventually(async () => {
    const found = await notificationsOf(stage.client, transactionId);
    return found[0]?.jobs?.[0]?.status === "delayed" ? found : null;
  }, "the step to be held");
  await stage.client("notifications.resendStep", input(held!));
  const done = only(await settled(stage.client, transactionId));
  assert.deepEqual(
    done.jobs!.map(({ status }) => status),
    ["completed", "completed"],
  );
  await stage.moveTo("2026-03-02T09:00:00.000Z");
  assert.equal((await feedOf(stage.client, "ida")).length, 1);
  assert.equal((await messagesOf(stage.client, transactionId)).filter((one) => one.channel === "email").length, 1);
});

test("a mail held by a paused integration is tried at once, and arrives once", async () => {
  isMailDown = true;
  const transactionId = await trigger(production, "mail", to("jana"));
  const [held] = await eventually(async () => {
    const found = await notificationsOf(production, transactionId);
    const job = found[0]?.jobs?.[0];
    return job?.status === "delayed" ? found : null;
  }, "the mail to be held");
  isMailDown = false;
  await resend(held!);
  await arrived("jana@example.com", 1);
  await settled(production, transactionId);
  const messages = await messagesOf(production, transactionId);
  assert.deepEqual(messages.map(({ status }) => status).sort(), ["sent", "warning"]);
  assert.match(messages.find(({ status }) => status === "warning")!.errorText!, /Replaced by a new message/);
});

test("push: the devices of the last time decide; a dead letter is closed by sending its step again", async () => {
  await integration(production, "push-webhook", "phones", { webhookUrl: `${phones.url}/push`, secretKey });
  await createWorkflow(production, "buzz", [step("push", { subject: "Hi", body: "There" })]);
  await production("subscribers.create", { body: { subscriberId: "kim" } });
  await production("subscribers.replaceCredentials", {
    params: { subscriberId: "kim" },
    body: { providerId: "push-webhook", credentials: { deviceTokens: ["phone-a", "phone-b"] } },
  });
  brokenPhones = new Set(["phone-a", "phone-b"]);
  const failed = await run("buzz", "kim");
  assert.equal(failed.jobs![0]!.status, "failed");
  brokenPhones = new Set();
  const { messageIds } = await resend(failed, "push");
  assert.equal(messageIds.length, 2);
  const done = only(await settled(production, failed.transactionId));
  assert.equal(done.jobs![0]!.status, "completed");
  const last = detailsOf(done, "push");
  assert.ok(!last.slice(last.indexOf("Sent again by hand")).includes("Some devices failed"), last.join("\n"));

  await production("integrations.update", {
    params: { integrationId: "smtp" },
    body: { credentials: { ...server, user: "shop", password: "wrong" } },
  });
  const refusedLogin = await run("mail", to("lena"));
  const letters = async () =>
    (await production("deadLetters.list", { query: { transactionId: refusedLogin.transactionId } })).body.data;
  assert.deepEqual(
    (await letters()).map(({ status }) => status),
    ["open"],
  );
  await resend(refusedLogin);
  await settled(production, refusedLogin.transactionId);
  assert.deepEqual(
    (await letters()).map(({ status }) => status),
    ["open", "replayed"],
    "the letter of the new message is open, the old one is not sent again",
  );
});
