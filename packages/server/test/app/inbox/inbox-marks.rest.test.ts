// What follows from the marks that a person makes in the browser: outbound webhooks, and what later steps of the run
// see.
import assert from "node:assert/strict";
import { request as ask } from "node:http";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openInbox } from "./browser.ts";

const receiver = await startReceiver();
const service = await startTestService({ TIDINGS_RATE_INBOX: "2", TIDINGS_TRUSTED_PROXIES: "127.0.0.9" });

test("marks of the browser are sent to webhooks, and seen by later steps as steps.<stepId>", async () => {
  const stage = await newStage(service, new Date().toISOString());
  const { client, environmentId } = stage;
  const path = `/${environmentId}`;
  await client("webhooks.create", { body: { url: `${receiver.url}${path}` } });
  const button = { label: "Open", redirect: { url: "https://example.com" } };
  await createWorkflow(client, "two", [
    { ...inApp({ body: "Hi", primaryAction: button }), stepId: "first" },
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } },
    email({ subject: "read {{ steps.first.read }}, seen {{ steps.first.seen }}", body: "<p>Hi</p>" }),
  ]);
  /** The subject of the email after these marks. */
  const run = async (subscriberId: string, marks: (id: string) => [method: string, path: string, body?: object][]) => {
    const transactionId = await trigger(client, "two", { subscriberId, email: `${subscriberId}@example.com` });
    await eventually(async () => {
      const [waiting] = await notificationsOf(client, transactionId);
      return waiting?.jobs?.some((job) => job.status === "delayed");
    }, "the run to wait");
    const inbox = await openInbox(service, { applicationIdentifier: environmentId, subscriber: { subscriberId } });
    const [message] = await messagesOf(client, transactionId);
    for (const [method, at, body] of marks(message!._id!)) {
      // Over its limit, a browser waits.
      const reply = await eventually(async () => {
        const answer = await inbox.call(method, `/notifications${at}`, body);
        return answer.status === 429 ? null : answer;
      }, "its turn");
      assert.ok(reply.status < 300, reply.text);
    }
    await stage.advance(1, "hours");
    await settled(client, transactionId);
    return (await messagesOf(client, transactionId)).find(({ channel }) => channel === "email")?.subject;
  };
  assert.equal(await run("none", () => []), "read false, seen false");
  assert.equal(await run("seen", (id) => [["POST", "/seen", { notificationIds: [id] }]]), "read false, seen true");
  assert.equal(await run("archived", (id) => [["PATCH", `/${id}/archive`]]), "read true, seen true");
  const snoozeUntil = new Date(Date.now() + 86_400_000).toISOString();
  const all = await run("all", (id) => [
    ["PATCH", `/${id}/read`],
    ["PATCH", `/${id}/unread`],
    ["PATCH", `/${id}/archive`],
    ["PATCH", `/${id}/unarchive`],
    ["PATCH", `/${id}/snooze`, { snoozeUntil }],
    ["PATCH", `/${id}/unsnooze`],
    ["PATCH", `/${id}/complete`, { actionType: "primary" }],
    ["POST", "/read", {}],
    ["DELETE", `/${id}/delete`],
  ]);
  assert.equal(typeof all, "string", "a deleted message does not stop the run");
  const marks = ["read", "unread", "seen", "archived", "unarchived", "snoozed", "unsnoozed", "deleted"];
  await eventually(
    () => marks.every((mark) => receiver.of(path).some(({ event }) => event.type === `message.${mark}`)),
    "an event for every mark",
  );
});

/** A POST from an address of this machine, as a proxy there sends it on for another one (`forwardedFor`). */
const post = (path: string, body: object, address: string, token?: string, forwardedFor?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(forwardedFor ? { "x-forwarded-for": forwardedFor } : {}),
    };
    const asked = ask(
      `${service.url}/v1/inbox${path}`,
      { method: "POST", headers, localAddress: address },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode!));
      },
    );
    asked.on("error", reject).end(JSON.stringify(body));
  });

test("one browser over its limit hinders no other one: neither marks of a subscriber nor sessions of an address", async () => {
  const { environmentId: applicationIdentifier } = await newStage(service);
  const bodyOf = (subscriberId: string) => ({ applicationIdentifier, subscriber: { subscriberId } });
  const ada = await openInbox(service, bodyOf("ada"));
  const eve = await openInbox(service, bodyOf("eve"));
  const mark = ({ token }: { token: string }, address: string) => post("/notifications/read", {}, address, token);
  const flood = (ask: () => Promise<number>) => Promise.all(Array.from({ length: 40 }, ask));
  const marks = await flood(() => mark(ada, "127.0.0.1"));
  assert.ok(marks.includes(204) && marks.includes(429), "Ada is over her limit");
  assert.ok((await flood(() => mark(ada, "127.0.0.2"))).includes(429), "from every address");
  assert.equal(await mark(eve, "127.0.0.1"), 204, "Eve, at the same address, is not");

  const session = (subscriberId: string, address: string) => post("/session", bodyOf(subscriberId), address);
  const sessions = await flood(() => session("ada", "127.0.0.3"));
  assert.ok(sessions.includes(201) && sessions.includes(429), "an address is over its limit");
  assert.equal(await session("eve", "127.0.0.4"), 201, "another subscriber at another address is not");

  const behind = (proxy: string, address: string) => post("/session", bodyOf(address), proxy, undefined, address);
  const proxied = await flood(() => behind("127.0.0.9", "192.0.2.1"));
  assert.ok(proxied.includes(429), "a client behind a trusted proxy is over its limit");
  assert.equal(await behind("127.0.0.9", "192.0.2.2"), 201, "another client behind it is not");
  const invented = await Promise.all(Array.from({ length: 40 }, (_, i) => behind("127.0.0.5", `198.51.100.${i}`)));
  assert.ok(invented.includes(429), "a client that is no trusted proxy cannot choose its address");
});
