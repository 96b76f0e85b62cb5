// Preferences in the browser of a subscriber.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { openInbox } from "./browser.ts";

const service = await shareService();

type Entry = {
  level: string;
  enabled: boolean;
  channels: Record<string, boolean>;
  workflow?: { id: string; identifier: string; critical: boolean };
  schedule?: object;
  timezone?: string;
};

async function withPreferences() {
  const { client, environmentId } = await newStage(service);
  const steps = [inApp({ body: "Hi" }), email()];
  const order = await createWorkflow(client, "order", steps, { tags: ["shop"], severity: "high" });
  const news = await createWorkflow(client, "news", steps, { tags: ["news"] });
  const locked = await createWorkflow(client, "locked", steps, {
    preferences: { user: { all: { readOnly: true } } },
  } as never);
  const open = (subscriberId: string, more: object = {}) =>
    openInbox(service, { applicationIdentifier: environmentId, subscriber: { subscriberId }, ...more });
  const [ada, eve] = [await open("ada"), await open("eve")];
  const entries = async (inbox = ada, query = ""): Promise<Entry[]> => {
    const reply = await inbox.call("GET", `/preferences${query}`);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { data: Entry[] }).data;
  };
  return { client, order, news, locked, ada, eve, open, entries };
}

const names = (entries: Entry[]) => entries.map(({ level, workflow }) => workflow?.identifier ?? level);

test("preferences are listed: the global entry, then the workflows that match", async () => {
  const { entries, ada, open } = await withPreferences();
  const all = await entries();
  assert.deepEqual(names(all), ["global", "order", "news"]);
  assert.deepEqual(all[0]?.channels, { in_app: true, email: true });
  assert.deepEqual([all[0]?.timezone, all[1]?.timezone], ["UTC", undefined], "the time zone of the schedule");
  const paris = await open("zoe", { subscriber: { subscriberId: "zoe", timezone: "Europe/Paris" } });
  assert.equal((await entries(paris))[0]?.timezone, "Europe/Paris");
  assert.deepEqual(names(await entries(ada, "?tags[]=shop")), ["global", "order"]);
  assert.deepEqual(names(await entries(ada, "?severity=high")), ["global", "order"]);
  assert.deepEqual(names(await entries(ada, "?criticality=all")), ["global", "order", "news", "locked"]);
  assert.deepEqual(names(await entries(ada, "?criticality=critical")), ["global", "locked"]);
});

test("global and workflow preferences and the schedule are changed, one's own only", async () => {
  const { client, order, news, ada, eve, entries } = await withPreferences();
  const before = await entries(eve);
  const change = async (path: string, body: object) => {
    const reply = await ada.call("PATCH", `/preferences${path}`, body);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { data: Entry }).data;
  };
  assert.equal((await change("", { email: false })).channels.email, false);
  const schedule = {
    isEnabled: true,
    weeklySchedule: { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } },
  };
  const withSchedule = await change("", { schedule });
  assert.deepEqual(
    [withSchedule.level, withSchedule.channels.email, withSchedule.schedule],
    ["global", false, schedule],
  );
  const global = await ada.call("GET", "/preferences/global");
  assert.deepEqual((global.body as { data: Entry }).data, withSchedule);
  const entry = await change(`/${order._id}`, { in_app: false });
  assert.deepEqual([entry.workflow?.identifier, entry.channels.in_app], ["order", false]);
  const bulk = await ada.call("PATCH", "/preferences/bulk", {
    preferences: [
      { workflowId: news._id, in_app: false },
      { workflowId: "order", in_app: true },
    ],
  });
  const list = (bulk.body as { data: Entry[] }).data;
  assert.deepEqual(
    list.map(({ workflow, channels }) => [workflow?.identifier, channels.in_app]),
    [
      ["news", false],
      ["order", true],
    ],
  );
  assert.deepEqual(await entries(eve), before, "another subscriber has its own");
  const { body } = await client("subscribers.retrievePreferences", { params: { subscriberId: "ada" } });
  assert.deepEqual(body.global.channels, { in_app: true, email: false }, "the customer's server sees the same");
});

test("unknown and critical workflows and wrong values are refused, and nothing changes", async () => {
  const { locked, order, ada, entries } = await withPreferences();
  const before = await entries();
  errorOf(await ada.call("PATCH", "/preferences/unknown", { email: false }), "WORKFLOW_NOT_FOUND");
  errorOf(await ada.call("PATCH", `/preferences/${locked._id}`, { email: false }), "CRITICAL_WORKFLOW");
  const preferences = [{ workflowId: order._id, email: false }, { workflowId: "unknown" }];
  errorOf(await ada.call("PATCH", "/preferences/bulk", { preferences }), "WORKFLOW_NOT_FOUND");
  errorOf(await ada.call("PATCH", "/preferences", { email: "no" }), "VALIDATION_ERROR");
  errorOf(await ada.call("PATCH", "/preferences", { schedule: { isEnabled: 1 } }), "VALIDATION_ERROR");
  assert.deepEqual(await entries(), before);
});

test("a session with contexts has preferences of its own", async () => {
  const { open, entries } = await withPreferences();
  const [plain, scoped] = [await open("ada"), await open("ada", { context: { tenant: "acme" } })];
  await scoped.call("PATCH", "/preferences", { email: false });
  assert.equal((await entries(scoped))[0]?.channels.email, false);
  assert.equal((await entries(plain))[0]?.channels.email, true);
});

test("a new subscriber starts with the default schedule of its session", async () => {
  const { open } = await withPreferences();
  const defaultSchedule = { isEnabled: true, weeklySchedule: { sunday: { isEnabled: false } } };
  const scheduleOf = async (more: object) => {
    const { call } = await open("new", more);
    return ((await call("GET", "/preferences/global")).body as { data: Entry }).data.schedule;
  };
  assert.deepEqual(await scheduleOf({ defaultSchedule }), defaultSchedule);
  assert.deepEqual(await scheduleOf({ defaultSchedule: { isEnabled: false } }), defaultSchedule, "not a second time");
});
