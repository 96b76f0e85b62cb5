import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = service;

test("an event becomes a message in the feed of each recipient, once", async () => {
  await createWorkflow(client, "shipped", [
    inApp({ subject: "Order {{payload.order}}", body: "<b>{{payload.city}}</b>" }),
  ]);
  const transactionId = await trigger(client, "shipped", ["ada", "bob", "ada"], { order: 4711, city: "Köln <x>" });
  const notifications = await settled(client, transactionId);
  assert.equal(notifications.length, 2);
  assert.deepEqual(detailsOf(notifications[0]!, "in_app"), [
    "Step created",
    "Start sending message",
    "Message created",
    "Step queued",
    "Message sent",
  ]);
  for (const subscriberId of ["ada", "bob"]) {
    const feed = await feedOf(client, subscriberId);
    assert.equal(feed.length, 1);
    assert.equal(feed[0]!.subject, "Order 4711");
    assert.equal(feed[0]!.content, "<b>Köln &lt;x&gt;</b>");
  }
});

test("a step that fails has begun; one that is skipped has not", async () => {
  await createWorkflow(client, "broken", [inApp({ body: "{{ payload.a | no_such_filter }}" })]);
  await createWorkflow(client, "skipped", [inApp({ body: "x", skip: { "==": [1, 1] } })]);
  const told = async (name: string) => {
    const [notification] = await settled(client, await trigger(client, name, "cleo"));
    const times = notification!.jobs![0]!.executionDetails.map(({ createdAt }) => createdAt!);
    assert.deepEqual(times, times.toSorted());
    return detailsOf(notification!, "in_app");
  };
  const fault = "Message content could not be rendered";
  assert.deepEqual(await told("broken"), ["Step created", "Start sending message", fault]);
  assert.deepEqual(await told("skipped"), ["Step created", "Step skipped by its condition"]);
});

test("subject and button labels are text: every character stays, whatever the step says about sanitising", async () => {
  const content = {
    subject: "Mail from {{ payload.name }}: a<b, List<String>",
    body: "<p onclick=alert(1)>{{ payload.name }}</p>",
    primaryAction: { label: "<b>Open</b> {{ payload.name }}", redirect: { url: "https://example.com" } },
    secondaryAction: { label: "<script>alert(1)</script>Later &amp;" },
  };
  await createWorkflow(client, "clean", [inApp(content)]);
  await createWorkflow(client, "raw", [inApp({ ...content, disableOutputSanitization: true })]);
  const shown = async (workflow: string, reader: string) => {
    await settled(client, await trigger(client, workflow, reader, { name: "Tom <tom@example.com>" }));
    const [item] = await feedOf(client, reader);
    return [item!.subject, ...(item!.cta.action?.buttons ?? []).map((button) => button.content), item!.content];
  };
  const texts = [
    "Mail from Tom <tom@example.com>: a<b, List<String>",
    "<b>Open</b> Tom <tom@example.com>",
    "<script>alert(1)</script>Later &amp;",
  ];
  const name = "Tom &lt;tom@example.com&gt;";
  assert.deepEqual(await shown("clean", "dora"), [...texts, `<p>${name}</p>`]);
  assert.deepEqual(await shown("raw", "emil"), [...texts, `<p onclick=alert(1)>${name}</p>`]);
});

test("dates are shown in the subscriber's time zone, and now is the time of the environment", async () => {
  const stage = await newStage(service, "2030-05-05T23:30:00.000Z");
  const body =
    "{{ 'now' | date: '%Y-%m-%d %H:%M' }} {{ payload.at | date: '%d %B %H:%M %z' }} {{ payload.day | date: '%d.%m.' }}";
  await createWorkflow(stage.client, "dated", [inApp({ body })]);
  const to = [{ subscriberId: "yuki", timezone: "Asia/Tokyo" }, "una"];
  const payload = { at: "2030-03-02T03:00:00Z", day: "2030-03-02" };
  await settled(stage.client, await trigger(stage.client, "dated", to, payload));
  const shown = async (reader: string) => (await feedOf(stage.client, reader))[0]!.content;
  assert.equal(await shown("yuki"), "2030-05-06 08:30 02 March 12:00 +0900 02.03.");
  assert.equal(await shown("una"), "2030-05-05 23:30 02 March 03:00 +0000 02.03.");
});
