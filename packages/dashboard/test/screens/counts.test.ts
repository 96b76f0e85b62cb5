// Sentences with counts: one, many, and what is left out where there is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes } from "../../src/kit/files.ts";
import { words as retraction } from "../../src/screens/activity/take-back/words.ts";
import { words as broadcast } from "../../src/screens/broadcasts/words.ts";
import { gapOf, progressOf } from "../../src/screens/clock/moments.ts";
import { words as clock } from "../../src/screens/clock/words.ts";
import { words as deadLetters } from "../../src/screens/dead-letters/words.ts";
import { words as webhooks } from "../../src/screens/webhooks/words.ts";
import { words as people } from "../../src/subscribers/people-words.ts";

test("calls of an endpoint that fail: how many, why, and what waits", () => {
  assert.equal(webhooks.failing(1, undefined, 0), "The last call failed");
  assert.equal(webhooks.failing(5, "HTTP 500", 5), "The last 5 calls failed: HTTP 500. 5 events are waiting");
  assert.equal(webhooks.failing(2, undefined, 1), "The last 2 calls failed. 1 event is waiting");
  assert.equal(webhooks.deliveries.replayed(1), "1 delivery queued again");
  assert.equal(webhooks.deliveries.replayed(2), "2 deliveries queued again");
});

test("a retraction: to whom the event went, and for how many it was taken back", () => {
  assert.equal(retraction.lead(2, false), "It went to 2 people. This cannot be undone.");
  assert.equal(retraction.lead(1_000, true), `It went to ${(1_000).toLocaleString()}+ people. This cannot be undone.`);
  assert.equal(retraction.done(1), "Taken back for 1 person");
});

test("people of an audience: counted, or estimated", () => {
  assert.equal(people.counted({ people: 1, isEstimated: false }), "1 person");
  assert.equal(people.counted({ people: 31_204, isEstimated: true }), `About ${(31_204).toLocaleString()} people`);
});

test("the question before a broadcast is sent, and the problems of its checklist", () => {
  assert.equal(broadcast.send.title("28 people"), "Send to 28 people?");
  assert.equal(broadcast.send.title(undefined), "Send this broadcast?");
});

test("a cause of dead letters: what is sent again", () => {
  assert.equal(deadLetters.group.replay(1), "Send 1 again");
  assert.equal(deadLetters.group.replay(1_200), `Send ${(1_200).toLocaleString()} again`);
  assert.equal(deadLetters.messages(1), "1 message");
});

test("a move of the test clock: how far, and what was sent on the way", () => {
  assert.equal(clock.moved("1 d", 0), "Advanced 1 d, no messages sent.");
  assert.equal(clock.moved("1 d", 1), "Advanced 1 d, 1 message sent.");
  assert.equal(clock.moved("7 d", 2), "Advanced 7 d, 2 messages sent.");
  const [monday, tuesday, thursday] = ["2026-03-02", "2026-03-03", "2026-03-05"] as const;
  assert.equal(gapOf(monday, tuesday), 86_400_000);
  assert.equal(progressOf(monday, tuesday, thursday), 1 / 3);
  assert.equal(progressOf(monday, thursday, tuesday), 1);
  assert.equal(progressOf(tuesday, monday, thursday), 0);
  assert.equal(progressOf(monday, monday, monday), 1);
});

test("sizes of files", () => {
  assert.deepEqual([19, 1_440, 2_000_000, 3_100_000_000].map(formatBytes), ["19 B", "1.4 kB", "2.0 MB", "3.1 GB"]);
});
