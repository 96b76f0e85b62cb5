// Bad input of every kind at every operation: each response is a success or a documented refusal, never a 5xx or a
// timeout. A short run belongs to `npm test`, a long one to `npm run test:long`; FUZZ_RUNS=2000 makes a longer one,
// FUZZ_SEED repeats a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commonErrors,
  errorCatalogue,
  type Operation,
  type OperationId,
  operations,
  successStatuses,
} from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { isLong } from "@tidings/testkit/long";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import fc from "fast-check";
import { inputOf } from "../conformance/fixtures.ts";
import { createProbe } from "../conformance/probe.ts";
import { createWorld } from "../conformance/world.ts";
import { fit, fromSchema, mutated, mutatedForm } from "./values.ts";

const runs = Number(process.env.FUZZ_RUNS ?? (isLong ? 100 : 5));
const seed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined;
const patience = 10_000;

const receiver = await startReceiver();
const service = await startTestService({ TIDINGS_TRUSTED_PROXIES: "127.0.0.1" });
const probe = createProbe(service.url, service.apiKey);
const world = createWorld(service.client, "fuzz", receiver.url, service.db, service);

const statusesOf = ({ success, errors }: Operation): Set<number> =>
  new Set([...successStatuses(success), ...[...commonErrors, ...errors].map((code) => errorCatalogue[code].status)]);

const unusable = new Set(["", ".", ".."]);

/** Values that would change the route are left out. */
function inPath(value: unknown): string {
  const text = (typeof value === "string" ? value : (JSON.stringify(value) ?? "x")).toWellFormed().slice(0, 2_000);
  return unusable.has(text) ? "x" : text;
}

const inQuery = (value: unknown): unknown =>
  [value].flat().map((one) => (typeof one === "string" ? one.toWellFormed() : JSON.stringify(one)));

/** Headers stay valid: not every text can be a header, and unsigned receipts are refused before they are read. */
function sendable(operation: Operation, input: RawInput, good: RawInput): RawInput {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return {
    ...input,
    headers: good.headers,
    params: Object.fromEntries(names.map((name) => [name, inPath(input.params?.[name])])),
    query: Object.fromEntries(Object.entries(input.query ?? {}).map(([name, value]) => [name, inQuery(value)])),
  };
}

/** Every second time with ids that exist, so that the code behind the lookup is tested as well. */
const fromContract = ({ params, query, body }: Operation, good: RawInput): fc.Arbitrary<RawInput> =>
  fc.record({
    ...(params && { params: fc.oneof(fc.constant(good.params), fit(params as never)) as fc.Arbitrary<never> }),
    ...(query && { query: fit(query as never) as fc.Arbitrary<never> }),
    ...(body && { body: fromSchema(body as never) }),
  });

for (const operation of Object.values(operations) as Operation[]) {
  const id = operation.id as OperationId;
  test(`${id} takes or refuses whatever comes`, async () => {
    const good = await inputOf(operation, world);
    const documented = statusesOf(operation);
    const inputs =
      operation.bodyType === "multipart" ? mutatedForm(good) : fc.oneof(fromContract(operation, good), mutated(good));
    const property = fc.asyncProperty(inputs, async (input) => {
      const signal = AbortSignal.timeout(patience);
      const answer = await probe(id, { ...sendable(operation, input, good), signal });
      assert.ok(documented.has(answer.status) && answer.status < 500, `${answer.status} ${answer.text.slice(0, 500)}`);
    });
    await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: false });
  });
}

test("nothing that came in made the service itself fail", async () => {
  const { body } = await service.client("subscribers.list");
  assert.ok(Array.isArray(body.data));
  const errors = service.logs.filter(({ level }) => Number(level) >= 50);
  assert.deepEqual(errors, []);
});
