import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@tidings/testkit/wait";
import { newId } from "../../src/lib/ids.ts";
import { createHintCollector, everyInbox, hintAfter, hintKey } from "../../src/lib/inbox-hints.ts";

/** A collector whose clock is that of the machine, and what it has sent. */
function collect(send: (text: string) => Promise<void> = async () => {}) {
  const sent: { text: string }[] = [];
  const collector = createHintCollector({
    now: () => performance.now(),
    send: async (text) => {
      await send(text);
      sent.push({ text });
    },
  });
  return { collector, sent };
}

test("without live connections no hints are collected", async () => {
  const { collector, sent } = collect();
  collector.add(newId());
  collector.watch();
  const wanted = newId();
  collector.add(wanted);
  await eventually(() => sent.length > 0, "a hint");
  assert.deepEqual(
    sent.map(({ text }) => text),
    [hintKey(wanted)],
  );
  collector.close();
});

test("an announcement counts for a minute; without one, hints are collected until it would have come", async () => {
  let time = 0;
  const sent: string[] = [];
  const collector = createHintCollector({ now: () => time, send: async (text) => void sent.push(text) });
  const addAt = (ms: number): string => {
    time = ms;
    const id = newId();
    collector.add(id);
    return hintKey(id);
  };
  collector.watchForAnnouncement();
  const [collected] = [addAt(29_000), addAt(31_000)];
  await eventually(() => sent.length === 1, "the first hint");
  collector.watch();
  collector.watchForAnnouncement();
  const [later] = [addAt(90_000), addAt(92_000)];
  await eventually(() => sent.length === 2, "the second hint");
  assert.deepEqual(sent, [collected, later]);
  collector.close();
});

test("hints are sent once each, 340 in a notification of less than 8,000 bytes", async () => {
  const { collector, sent } = collect();
  collector.watch();
  const ids = Array.from({ length: 1_000 }, newId);
  for (const id of [...ids, ...ids]) collector.add(id);
  await eventually(() => sent.length === 3, "three notifications");
  assert.deepEqual(
    sent.flatMap(({ text }) => text.split(",")),
    ids.map(hintKey),
  );
  assert.ok(sent.every(({ text }) => text.length < 8_000));
  collector.close();
});

test("hints that cannot be sent are sent later; too many become one hint for all inboxes", async () => {
  let failures = 2;
  const { collector, sent } = collect(async () => {
    if (failures-- > 0) throw new Error("no connection");
  });
  collector.watch();
  const id = newId();
  collector.add(id);
  await eventually(() => sent.length === 1, "the hint");
  assert.equal(sent[0]!.text, hintKey(id));
  for (let n = 0; n <= 50_000; n++) collector.add(newId());
  await eventually(() => sent.length === 2, "one hint for all");
  assert.equal(sent[1]!.text, everyInbox);
  collector.close();
});

test("the hints of a transaction are passed on when it has ended without an error", async () => {
  const added: string[] = [];
  const hints = { add: (id: string) => void added.push(id) };
  const result = await hintAfter(hints, async (held) => {
    held.add("a");
    held.add("a");
    await hintAfter(held, async (inner) => inner.add("b"));
    assert.deepEqual(added, []);
    return 7;
  });
  assert.equal(result, 7);
  assert.deepEqual(added, ["a", "b"]);
  await assert.rejects(
    hintAfter(hints, async (held) => {
      held.add("c");
      throw new Error("rolled back");
    }),
  );
  assert.deepEqual(added, ["a", "b"]);
});
