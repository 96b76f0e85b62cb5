// The fake providers of the chaos run, called by the adapters that the service calls them with.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createIo, type Io, type Message, type Outcome, send } from "@tidings/providers";
import { atEnd } from "@tidings/testkit/at-end";
import { createRandom } from "@tidings/testkit/load/random";
import type { Delivery } from "../../../../scripts/auditor/evidence.ts";
import { mailCredentials, smsCredentials } from "../../../../scripts/chaos/load/integrations.ts";
import { startMailServer } from "../../../../scripts/chaos/load/mail-server.ts";
import { type FakeProvider, startSmsGateway } from "../../../../scripts/chaos/load/sms-gateway.ts";

const seed = 1;
const deliveries: Delivery[] = [];
const evidence = { delivery: (one: Delivery) => void deliveries.push(one) };
const smtp = await startMailServer(evidence, seed);
const sms = await startSmsGateway(evidence, seed);
const resolveHost = async () => ({ address: "127.0.0.1", family: 4 as const });
const createCaller = (timeoutMs: number) => createIo({ resolveHost, capture: async () => {}, timeoutMs });
const patient = createCaller(30_000);
const impatient = createCaller(1_500);
atEnd(async () => {
  await Promise.all([patient.close(), impatient.close()]);
  await Promise.all([smtp.close(), sms.close()]);
});

type Fake = { name: Delivery["provider"]; fake: FakeProvider; deliver(id: string, io?: Io): Promise<Outcome> };

const text = (id: string): Message => ({ id, channel: "sms", to: "+4915200000000", text: `north-texted-${id}` });
const mail = (id: string): Message => ({
  ...{ id, channel: "email", to: ["person-00@north.example.com"], subject: `north-mailed-${id}` },
  ...{ html: "<p>Hello</p>", text: "Hello" },
});

const fakes: Fake[] = [
  {
    name: "smtp",
    fake: smtp,
    deliver: (id, io = patient) => send("nodemailer", mail(id), mailCredentials(smtp.port), io),
  },
  {
    name: "sms",
    fake: sms,
    deliver: (id, io = patient) => send("generic-sms", text(id), smsCredentials(sms.port), io),
  },
];

const deliveriesOf = (id: string) => deliveries.filter(({ messageId }) => messageId === id);

for (const { name, fake, deliver } of fakes) {
  describe(name, () => {
    test("a message is recorded with its id, its address and its text", async () => {
      fake.moods.set("normal");
      const id = `${name}-plain`;
      assert.equal((await deliver(id)).kind, "accepted");
      const [delivery] = deliveriesOf(id);
      assert.equal(delivery?.answer, "accepted");
      assert.equal(delivery?.to, name === "smtp" ? "person-00@north.example.com" : "+4915200000000");
      assert.equal(delivery?.text, name === "smtp" ? `north-mailed-${id}` : `north-texted-${id}`);
    });

    test("it refuses for now, then accepts", async () => {
      fake.moods.set("fails");
      const id = `${name}-refused`;
      assert.equal((await deliver(id)).kind, "retry");
      fake.moods.set("normal");
      await deliver(id);
      assert.equal(deliveriesOf(id)[0]?.answer, "refused");
    });

    test("it accepts and drops the answer, so the outcome is unknown", async () => {
      fake.moods.set("loses-answers");
      const id = `${name}-lost`;
      assert.equal((await deliver(id)).kind, "unknown");
      assert.deepEqual(
        deliveriesOf(id).map(({ answer }) => answer),
        ["lost"],
      );
    });

    test("it answers twice, and the messages after it are not taken for others", async () => {
      fake.moods.set("answers-twice");
      const ids = Array.from({ length: 60 }, (_, n) => `${name}-twice-${n}`);
      const outcomes = new Map<string, Outcome>();
      for (const id of ids.slice(0, 20)) outcomes.set(id, await deliver(id));
      await Promise.all(ids.slice(20).map(async (id) => outcomes.set(id, await deliver(id))));
      fake.moods.set("normal");
      const wrong = ids.filter((id) => {
        const taken = deliveriesOf(id).length;
        const { kind } = outcomes.get(id)!;
        // What the provider has taken may be unknown, and is never known to be refused.
        return kind === "accepted" ? taken !== 1 : kind === "retry" ? taken > 0 : kind !== "unknown";
      });
      assert.deepEqual(
        wrong.map((id) => outcomes.get(id)),
        [],
      );
      // How many connections see the second response in time depends on the machine.
      const accepted = [...outcomes.values()].filter(({ kind }) => kind === "accepted").length;
      assert.ok(accepted > ids.length / 5, `${accepted} of ${ids.length} were accepted`);
    });

    test("it hangs until the service gives up, or until the mood ends", async () => {
      fake.moods.set("hangs");
      assert.equal((await deliver(`${name}-given-up`, impatient)).kind, "unknown");
      const { moods } = fake;
      const { wait } = moods;
      const hasCome = Promise.withResolvers<void>();
      moods.wait = () => {
        hasCome.resolve();
        return wait();
      };
      const released = deliver(`${name}-released`);
      await hasCome.promise;
      moods.set("normal");
      assert.equal((await released).kind, "unknown");
      assert.equal(deliveriesOf(`${name}-released`)[0]?.answer, "hung");
    });
  });
}

test("in the normal mood a share of messages is mistreated once, the same with the same seed", () => {
  const { decide } = sms.moods;
  sms.moods.set("normal");
  const ids = Array.from({ length: 2_000 }, (_, n) => `id-${n}`);
  const first = ids.map((id) => decide(id).answer);
  const share = first.filter((answer) => answer !== "accepted").length / ids.length;
  assert.ok(share > 0.07 && share < 0.13, `a share of ${share}`);
  assert.deepEqual(new Set(first), new Set(["accepted", "refused", "late", "lost", "twice"]));
  assert.ok(ids.every((id) => decide(id).answer === "accepted"));
  const [one, same, other] = [createRandom(1, "a"), createRandom(1, "a"), createRandom(1, "b")];
  assert.equal(one.next(), same.next());
  assert.notEqual(one.next(), other.next());
});
