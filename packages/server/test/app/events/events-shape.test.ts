// Trigger requests that are refused as a whole for their shape or size write nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, db, environmentId } = await shareService();

before(async () => {
  await createWorkflow(client, "plain", [inApp()]);
  await createWorkflow(client, "idle", [{ ...inApp(), active: false }]);
});

/** Rows of events, and of what a rolled-back event could leave. */
const countEvents = async () =>
  (
    await sql<{ count: number }>`
      select (select count(*) from events where environment_id = ${environmentId})
        + (select count(*) from transaction_ids where environment_id = ${environmentId}) as count`.execute(db)
  ).rows[0]!.count;

const shapes: [name: string, body: unknown, faults: Record<string, string[]>][] = [
  ["no events", {}, { events: ["events is required"] }],
  ["an empty list", { events: [] }, { events: ["events must not be empty"] }],
  ["events that are no list", { events: {} }, { events: ["events must be an array"] }],
  [
    "101 events",
    { events: Array.from({ length: 101 }, () => ({ name: "plain", to: "x" })) },
    { events: ["events must contain no more than 100 elements"] },
  ],
  ["an event that is no object", { events: ["plain"] }, { "events.0": ["events.0 must be an object"] }],
  ["no name", { events: [{ to: "x" }] }, { "events.0.name": ["events.0.name is required"] }],
  ["no recipients", { events: [{ name: "plain" }] }, { "events.0.to": ["events.0.to is required"] }],
  [
    "a payload that is a list",
    { events: [{ name: "plain", to: "x", payload: [] }] },
    { "events.0.payload": ["events.0.payload must be an object"] },
  ],
  [
    "overrides that are a text",
    { events: [{ name: "plain", to: "x", overrides: "" }] },
    { "events.0.overrides": ["events.0.overrides must be an object"] },
  ],
  [
    "an empty transaction id",
    { events: [{ name: "plain", to: "x", transactionId: "" }] },
    {
      "events.0.transactionId": [
        "events.0.transactionId must not be empty",
        "events.0.transactionId has an invalid format",
      ],
    },
  ],
  [
    "a long transaction id",
    { events: [{ name: "plain", to: "x", transactionId: "x".repeat(256) }] },
    { "events.0.transactionId": ["events.0.transactionId must not be longer than 255 characters"] },
  ],
  [
    "control characters in it",
    { events: [{ name: "plain", to: "x", transactionId: "a\nb" }] },
    { "events.0.transactionId": ["events.0.transactionId has an invalid format"] },
  ],
  [
    "101 recipients",
    {
      events: [
        { name: "plain", to: "x" },
        { name: "plain", to: Array.from({ length: 101 }, (_, i) => `r${i}`) },
      ],
    },
    { "events.1.to": ["events.1.to must contain no more than 100 elements"] },
  ],
];

for (const [name, body, faults] of shapes) {
  test(`a request with ${name} is refused as a whole`, async () => {
    const before = await countEvents();
    assert.deepEqual(await faultsOf(client, "events.triggerBulk", { body }), faults);
    assert.equal(await countEvents(), before);
  });
}

test("recipients of a type that cannot be one are refused as a whole", async () => {
  const before = await countEvents();
  for (const to of [5, null, true, [5], ["fine", null]]) {
    const events = [
      { name: "plain", to: "fine" },
      { name: "plain", to },
    ];
    const faults = await faultsOf(client, "events.triggerBulk", { body: { events } });
    assert.ok(
      Object.keys(faults).every((field) => field.startsWith("events.1.to")),
      JSON.stringify(faults),
    );
  }
  assert.equal(await countEvents(), before);
});

test("a payload over the limit refuses the request, one of exactly the limit is taken", async () => {
  const frame = JSON.stringify({ text: "" }).length;
  const payload = { text: "x".repeat(524_288 - frame) };
  const before = await countEvents();
  const events = [
    { name: "plain", to: "ada", transactionId: "beside a large one" },
    { name: "plain", to: "ada", payload: { text: `${payload.text}x` } },
  ];
  const error = await refused(client, "events.triggerBulk", { body: { events } }, "PAYLOAD_TOO_LARGE");
  assert.equal(error.message, "Event at index 1 (plain) has a payload of 524289 bytes, the limit is 524288");
  assert.equal(await countEvents(), before);
  const { body } = await client("events.triggerBulk", { body: { events: [{ name: "plain", to: "ada", payload }] } });
  assert.equal(body[0]!.status, "processed");
});

test("100 events and 100 recipients are taken", async () => {
  const before = await countEvents();
  const to = Array.from({ length: 100 }, (_, index) => `hundred-${index}`);
  const events = Array.from({ length: 100 }, () => ({ name: "idle", to }));
  assert.equal((await client("events.triggerBulk", { body: { events } })).body.length, 100);
  assert.equal(await countEvents(), before);
  const transactionId = await trigger(client, "plain", to);
  const { rows } = await sql<{ size: number }>`
    select jsonb_array_length(recipients) as size from events where transaction_id = ${transactionId} and environment_id = ${environmentId}`.execute(
    db,
  );
  assert.equal(rows[0]!.size, 100);
});
