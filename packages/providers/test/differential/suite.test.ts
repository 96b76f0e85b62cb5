// The same message through a vendor's SDK and through our adapter: what arrives must be the same, but for the
// differences that the file of the SDK explains.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Message, send } from "../../src/index.ts";
import type { HttpCase, ProviderCase } from "../conformance/case.ts";
import { type Canonical, canonical, compare, type Difference, move } from "./canonical.ts";
import type { SdkCase } from "./case.ts";
import { type Fake, startFake } from "./fake.ts";
import { type Sample, samples } from "./messages.ts";

async function load<T>(...path: string[]): Promise<T> {
  const module = (await import(join(import.meta.dirname, ...path))) as { default: T };
  return module.default;
}

const names = readdirSync(join(import.meta.dirname, "sdks"));
const cases = await Promise.all(names.map((name) => load<SdkCase>("sdks", name)));

describe("an SDK and our adapter send the same", () => {
  for (const [index, declared] of cases.entries()) {
    it(declared.id, async (t) => {
      assert.equal(`${declared.id}.ts`, names[index]);
      const found = await differencesOf(t, declared);
      const patterns = Object.entries(declared.differences).map(([place, reason]) => ({ place, reason }));
      const isAllowed = ({ place }: Difference) => patterns.some((pattern) => covers(pattern.place, place));
      assert.deepEqual(found.filter((one) => !isAllowed(one)).map(told), [], "differences without a reason");
      assert.deepEqual(
        patterns.filter((pattern) => !found.some(({ place }) => covers(pattern.place, place))),
        [],
        "reasons without a difference",
      );
    });
  }
});

type Found = Difference & { message: string };

async function differencesOf(t: TestContext, declared: SdkCase): Promise<Found[]> {
  const { channel, id } = declared;
  const provider = (await load<ProviderCase>("..", "conformance", "cases", channel, `${id}.ts`)) as HttpCase;
  const fake = await startFake(t, declared.reply ?? provider.accepted.reply);
  const found: Found[] = [];
  for (const [message, one] of Object.entries(samples[channel]) as [string, Sample<never, Message>][]) {
    let theirs = await sent(fake, () => declared.send(one.sample, provider.credentials as Record<string, string>));
    for (const { from, to } of declared.moved ?? []) {
      const changed = move(theirs, from, to);
      assert.ok(changed, `the SDK writes nothing at ${from}`);
      theirs = changed;
    }
    const ours = await sent(fake, () => send(id, one.message, provider.credentials, fake.io));
    found.push(...compare(ours, theirs).map((difference) => ({ message, ...difference })));
  }
  return found;
}

/** The last request is the one that sends; those before it fetch a token. */
async function sent(fake: Fake, call: () => Promise<unknown>): Promise<Canonical> {
  let result: unknown;
  const seen = await fake.watch(async () => {
    result = await call();
  });
  const last = seen.at(-1);
  assert.ok(last, `nothing was sent: ${JSON.stringify(result)}`);
  return canonical(last);
}

const told = ({ message, place, ours, theirs }: Found): string =>
  `${message}: ${place}: ours ${shortened(ours)}, theirs ${shortened(theirs)}`;

const shortened = (value = "nothing"): string => (value.length > 100 ? `${value.slice(0, 100)}…` : value);

function covers(pattern: string, place: string): boolean {
  const [steps, given] = [pattern.split("."), place.split(".")];
  return steps.every((step, index) => step === "*" || step === given[index]);
}
