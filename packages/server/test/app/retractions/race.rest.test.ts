// A retraction and the deliveries of the same event at the same time: each message ends in exactly one state, and its
// provider has seen what the state says.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Retraction } from "@tidings/contract";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { integration, step } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { startProviders } from "./providers.ts";

const providers = await startProviders();
const mail = await startScriptedMail(() => null);
const { client, db } = await startTestService({ TIDINGS_MAX_RECIPIENTS: "1000" });
await client("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "mail",
    active: true,
    credentials: { host: "127.0.0.1", port: mail.port, secure: false, from: "sender@example.com" },
  },
} as never);
await integration(client, "discord", "discord", {});
await createWorkflow(client, "mail", [step("email", { subject: "Hi", body: "<p>Hello</p>" })]);
await createWorkflow(client, "chat", [step("chat", { body: "Hello" })]);

const count = 200;
const names = (race: string) => Array.from({ length: count }, (_, n) => `${race}-${n}x`);
const recipient = (name: string) => ({
  subscriberId: name,
  email: `${name}@example.com`,
  channels: [{ providerId: "discord", credentials: { webhookUrl: `${providers.url}/${name}` } }],
});

type StateRow = { subscriber_id: string; state: string };

/** One row for each message or step, by subscriber. */
async function statesOf(transactionId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<StateRow>`
    select s.subscriber_id, r.state from retracted_messages r
    join notifications n on n.environment_id = r.environment_id and n.id = r.notification_id
    join events e on e.environment_id = n.environment_id and e.id = n.event_id
    join subscribers s on s.id = n.subscriber_id
    where e.transaction_id = ${transactionId}`.execute(db);
  const states = new Map<string, string[]>();
  for (const { subscriber_id, state } of rows) states.set(subscriber_id, [...(states.get(subscriber_id) ?? []), state]);
  return states;
}

async function race(workflow: "mail" | "chat", name: string, isReady: () => boolean) {
  const people = names(name);
  const transactionId = await trigger(client, workflow, people.map(recipient));
  await eventually(isReady, "the start of the race");
  const { body } = await client("retractions.create", { body: { transactionId, reason: "a race" } });
  const done: Retraction = await eventually(async () => {
    const { body: now } = await client("retractions.retrieve", { params: { retractionId: body._id } });
    return now.status === "completed" ? now : null;
  }, "the end of the race");
  const states = await statesOf(transactionId);
  const [[channel, results] = ["", {}], ...others] = Object.entries(done.results);
  assert.deepEqual(others, [], `only ${channel}`);
  assert.equal(
    Object.values(results).reduce((sum, one) => sum + one, 0),
    done.people,
    "each message is counted once",
  );
  assert.equal(states.size, done.people);
  return { people, states, results };
}

for (const begun of [0, 40]) {
  test(`mails, ${begun} of them sent before`, async () => {
    const name = `mail${begun}`;
    const taken = () => names(name).filter((one) => mail.mailsTo(`${one}@example.com`).length > 0).length;
    const { people, states, results } = await race("mail", name, () => taken() >= begun);
    for (const one of people) {
      const isSent = mail.mailsTo(`${one}@example.com`).length > 0;
      const expected = isSent ? ["cannot_unsend"] : states.has(one) ? ["canceled"] : undefined;
      assert.deepEqual(states.get(one), expected, one);
    }
    if (begun > 0) assert.ok((results.cannot_unsend ?? 0) >= begun, JSON.stringify(results));
  });

  test(`chat messages, ${begun} of them sent before`, async () => {
    const name = `chat${begun}`;
    const posted = () => providers.callsTo(`/${name}-`).length;
    const { people, states } = await race("chat", name, () => posted() >= begun);
    for (const one of people) {
      const isPosted = providers.callsTo(`/${one}`).length > 0;
      const isDeleted = providers.callsTo(`/${one}/messages/`, "DELETE").length > 0;
      assert.equal(isDeleted, isPosted, `${one} is deleted if it was posted`);
      const expected = isPosted ? ["deleted"] : states.has(one) ? ["canceled"] : undefined;
      assert.deepEqual(states.get(one), expected, one);
    }
  });
}
