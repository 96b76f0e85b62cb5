// What the contract says about messages and feed items beyond their filters: what controls become, and what is never
// sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerEvent } from "@tidings/contract";
import { only } from "@tidings/testkit/lists";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, messagesOf, settled } from "@tidings/testkit/verbs";

const { client } = await shareService();
const ada = { subscriberId: "ada", email: "ada@example.com" };

async function send(name: string, event: Partial<TriggerEvent> = {}) {
  const events = [{ name, to: ada, ...event }] as TriggerEvent[];
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  assert.deepEqual([result!.status, "jobData" in result!], ["processed", false]);
  const transactionId = result!.transactionId!;
  const notification = only(await settled(client, transactionId));
  const [message] = await messagesOf(client, transactionId);
  const item = (await feedOf(client, "ada")).find((one) => one.transactionId === transactionId);
  const [mail] = (await client("captured.list", { query: { transactionId } })).body.data;
  return { notification, message: message!, item, mail };
}

test("an event's overrides stand with its messages; legacy members are never sent", async () => {
  await createWorkflow(client, "plain", [inApp({ body: "x" })]);
  const overrides = { severity: "high", providers: { "svc-email": { text: "y" } } };
  const { message, item } = await send("plain", { overrides });
  assert.deepEqual([message.overrides, item!.overrides], [overrides, overrides]);
  for (const name of ["_messageTemplateId", "_feedId", "template", "deviceTokens", "title"]) {
    assert.ok(!(name in message) && !(name in item!), name);
  }
  for (const name of ["topics", "__v"]) assert.ok(!(name in message.subscriber!), name);
});

test("a message that could not be rendered has its error, and is not in the feed", async () => {
  await createWorkflow(client, "broken", [inApp({ body: "{{ payload.n | nosuchfilter }}" })]);
  const { message, item } = await send("broken", { payload: { n: 1 } });
  assert.deepEqual([message.status, message.errorId, item], ["error", "render_failed", undefined]);
  assert.equal((await send("plain")).item!.status, "sent");
});

test("disableOutputSanitization: what could run stays, what the payload brings is escaped all the same", async () => {
  const body = '<b onclick="go()">{{ payload.name }}</b><script>go()</script>';
  const payload = { name: "<i>Ada</i>" };
  const escaped = "&lt;i&gt;Ada&lt;/i&gt;";
  for (const disableOutputSanitization of [false, true]) {
    const expected = disableOutputSanitization
      ? `<b onclick="go()">${escaped}</b><script>go()</script>`
      : `<b>${escaped}</b>`;
    const name = `raw-${disableOutputSanitization}`;
    const controls = { subject: "s", body, disableOutputSanitization };
    await createWorkflow(client, `${name}-in-app`, [inApp(controls)]);
    await createWorkflow(client, `${name}-email`, [email({ ...controls, editorType: "html" })]);
    assert.equal((await send(`${name}-in-app`, { payload })).item!.content, expected);
    const { mail } = await send(`${name}-email`, { payload });
    assert.ok(mail!.html!.includes(expected), mail!.html);
  }
});

test("an avatar is an address, a path or a variable; without one the actor's counts", async () => {
  const actorWith = async (avatar: string | undefined, event: Partial<TriggerEvent> = {}) => {
    const name = `avatar-${Buffer.from(`${avatar}`).toString("hex")}`;
    await createWorkflow(client, name, [inApp({ body: "x", ...(avatar ? { avatar } : {}) })]);
    return (await send(name, event)).item!.actor;
  };
  const custom = (data: string) => ({ type: "system_custom", data });
  assert.deepEqual(await actorWith("https://example.com/a.png"), custom("https://example.com/a.png"));
  assert.deepEqual(await actorWith("/a.png"), custom("/a.png"));
  const payload = { face: "https://example.com/b.png" };
  assert.deepEqual(await actorWith("{{ payload.face }}", { payload }), custom(payload.face));
  assert.deepEqual(await actorWith("{{ payload.none }}"), { type: "none", data: null });
  const actor = { subscriberId: "eve", avatar: "https://example.com/eve.png" };
  assert.deepEqual(await actorWith(undefined, { actor }), { type: "user", data: actor.avatar });
});

test("a redirect opens in any of five targets, in its own by default", async () => {
  const targetOf = async (target: string | undefined) => {
    const redirect = { url: "https://example.com", ...(target ? { target } : {}) };
    const action = { label: "Go", redirect };
    const name = `target${target ?? ""}`.replaceAll("_", "-");
    await createWorkflow(client, name, [
      inApp({ body: "x", redirect, primaryAction: action, secondaryAction: action }),
    ]);
    const { item } = await send(name);
    assert.deepEqual(item!.cta.data, { url: "https://example.com" });
    const notificationId = item!._id;
    const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString();
    const params = { subscriberId: "ada", notificationId };
    const shown = (await client("subscriberNotifications.snooze", { params, body: { snoozeUntil } })).body;
    return [shown.redirect, shown.primaryAction?.redirect, shown.secondaryAction?.redirect].map((one) => one?.target);
  };
  for (const target of ["_self", "_blank", "_parent", "_top", "_unfencedTop"]) {
    assert.deepEqual(await targetOf(target), [target, target, target]);
  }
  assert.deepEqual(await targetOf(undefined), ["_self", "_self", "_self"]);
});

test("an email's layout: the one it names, none with null, the default without a word; renderers do not differ", async () => {
  for (const [layoutId, mark] of [
    ["house", "DEFAULT"],
    ["plain", "NAMED"],
  ] as const) {
    await client("layouts.create", { body: { layoutId, name: layoutId } });
    const controlValues = { email: { body: `<i>${mark}</i>{{content}}`, editorType: "html" as const } };
    await client("layouts.update", { params: { layoutId }, body: { name: layoutId, controlValues } });
  }
  const marksOf = async (name: string, controls: object) => {
    await createWorkflow(client, name, [email({ subject: "s", body: "<p>x</p>", editorType: "html", ...controls })]);
    const { mail } = await send(name);
    return [mail!.html!.match(/DEFAULT|NAMED/)?.[0], mail!.html];
  };
  const [byDefault, html] = await marksOf("layout-default", {});
  assert.equal(byDefault, "DEFAULT");
  assert.equal((await marksOf("layout-named", { layoutId: "plain" }))[0], "NAMED");
  assert.equal((await marksOf("layout-none", { layoutId: null }))[0], undefined);
  assert.equal((await marksOf("layout-react", { rendererType: "react-email" }))[1], html);
});

test("the subscriber of a message has its channels, with all eight members of their credentials", async () => {
  const body = { providerId: "slack", channel: "chat", identifier: "chat", active: true } as const;
  const credentials = { applicationId: "A1", clientId: "C1", secretKey: "s" };
  const integration = (await client("integrations.create", { body: { ...body, credentials } })).body;
  const members = {
    ...{ webhookUrl: "https://hooks.example/1", channel: "c", deviceTokens: ["t"], alertUid: "a", title: "T" },
    ...{ imageUrl: "https://example.com/i.png", state: "ok", externalUrl: "https://example.com" },
  };
  await client("subscribers.replaceCredentials", {
    params: { subscriberId: "ada" },
    body: { providerId: "slack", integrationIdentifier: "chat", credentials: members },
  });
  const { message } = await send("plain");
  assert.deepEqual(message.subscriber!.channels, [
    { providerId: "slack", integrationIdentifier: "chat", credentials: members, _integrationId: integration._id },
  ]);
});

test("seen and read are execution details of the job once each", async () => {
  const { item, notification } = await send("plain");
  const params = { subscriberId: "ada" };
  for (const markAs of ["seen", "read", "unseen", "seen", "read"] as const) {
    await client("subscribers.markMessages", { params, body: { messageId: item!._id, markAs } });
  }
  const read = await client("notifications.retrieve", { params: { notificationId: notification._id! } });
  const told = read.body.jobs![0]!.executionDetails.slice(-3);
  assert.deepEqual(
    told.map(({ detail, status, source }) => [detail, status, source]),
    [
      ["Message sent", "Success", "Internal"],
      ["Message seen", "ReadConfirmation", "Internal"],
      ["Message read", "ReadConfirmation", "Internal"],
    ],
  );
  const other = await send("plain");
  await client("subscribers.markAllMessages", { params, body: { markAs: "read" } });
  const all = await client("notifications.retrieve", { params: { notificationId: other.notification._id! } });
  assert.equal(all.body.jobs![0]!.executionDetails.at(-1)!.detail, "Message read");
});
