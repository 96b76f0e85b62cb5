// The live stream of activity, over real connections.
import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import type { ActivityEvent } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { browserOf, invite, signIn, signInOwner } from "../app/members/browsers.ts";

const service = await startTestService();
const { client, production, url, apiKey } = service;

type Stream = {
  status(): number | null;
  events: ActivityEvent[];
  isReady(): boolean;
  isOpen(): boolean;
  close(): void;
};
const streams: Stream[] = [];
atEnd(() => {
  for (const stream of streams) stream.close();
});

const openStream = (key: string | null): Stream =>
  openStreamWith(key === null ? {} : { authorization: `ApiKey ${key}` });

function openStreamWith(headers: Record<string, string>): Stream {
  const events: ActivityEvent[] = [];
  let [status, text, isReady, isOpen]: [number | null, string, boolean, boolean] = [null, "", false, false];
  const request = get(`${url}/v1/activity/stream`, { headers }, (answer) => {
    status = answer.statusCode ?? null;
    isOpen = status === 200;
    answer.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        if (block.startsWith("event: ready")) isReady = true;
        const data = /^event: activity\ndata: (.*)$/.exec(block)?.[1];
        if (data) events.push(...JSON.parse(data).events);
      }
    });
    answer.on("close", () => {
      isOpen = false;
    });
  });
  request.on("error", () => {
    isOpen = false;
  });
  const stream = {
    status: () => status,
    events,
    isReady: () => isReady,
    isOpen: () => isOpen,
    close: () => void request.destroy(),
  };
  streams.push(stream);
  return stream;
}

test("new and changed events arrive, with their outcomes, and only those of the environment", async () => {
  const delay = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } } as const;
  await createWorkflow(client, "watched", [delay, inApp()]);
  await createWorkflow(production, "theirs", [inApp()]);
  const [one, two] = [openStream(apiKey), openStream(apiKey)];
  await eventually(() => Promise.resolve(one.isReady() && two.isReady()), "both streams");
  const theirs = await trigger(production, "theirs", "bob");
  const transactionId = await trigger(client, "watched", "ada", { a: 1 });
  const outcomes = (stream: Stream) =>
    stream.events.filter((event) => event.transactionId === transactionId).map(({ outcomes }) => outcomes);
  for (const stream of [one, two]) {
    await eventually(async () => outcomes(stream).some(({ pending }) => pending === 1), "the event while it waits");
  }
  await client("events.cancel", { params: { transactionId } });
  await eventually(async () => outcomes(one).at(-1)?.canceled === 1, "the event after it was canceled");
  assert.ok(one.events.every((event) => event.transactionId !== theirs));
  const shown = (await client("activity.listEvents", { query: { transactionId } })).body.data[0];
  assert.deepEqual(
    one.events.findLast((event) => event.transactionId === transactionId),
    shown,
  );
});

test("without a valid key there is no stream", async () => {
  for (const key of [null, "wrong"]) {
    const stream = openStream(key);
    await eventually(async () => stream.status() === 401, "the refusal");
  }
});

test("a signed-in person has the stream of the environment that the request names, until the sign-out", async () => {
  const owner = await signInOwner(service);
  const { environments } = owner.session;
  const development = environments.find(({ type }) => type === "dev")!;
  const stream = openStreamWith(owner.headers(development._id));
  await eventually(() => Promise.resolve(stream.isReady()), "the stream");
  await createWorkflow(client, "seen", [inApp()]);
  const transactionId = await trigger(client, "seen", "ada");
  await eventually(async () => stream.events.some((event) => event.transactionId === transactionId), "its event");
  stream.close();
  await owner.call("auth.signOut");
  const refused = openStreamWith(owner.headers(development._id));
  await eventually(async () => refused.status() === 401, "the refusal");
});

test("the stream of a removed person ends at once", async () => {
  const owner = browserOf(service, await signIn(service, "owner@example.com"));
  const viewer = await invite(service, owner, "viewer");
  const stream = openStreamWith(viewer.headers());
  await eventually(() => Promise.resolve(stream.isReady()), "the stream");
  const params = { personId: viewer.session.person._id };
  assert.equal((await owner.call("people.delete", { params })).status, 204);
  // Well before the next heartbeat, which comes after 25 seconds.
  await eventually(() => Promise.resolve(!stream.isOpen()), "the end of the stream", 10_000);
});

test("an environment has a limited number of streams", async () => {
  const many = Array.from({ length: 20 }, () => openStream(apiKey));
  await eventually(async () => many.every((stream) => stream.status() !== null), "all answers");
  assert.ok(many.some((stream) => stream.status() === 503));
});
