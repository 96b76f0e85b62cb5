// Bad input of every kind at every operation: each response is a success or a documented refusal, never a 5xx or a
// timeout. `npm test` makes one input for each operation, always the same ones; fuzz/fuzz.long.test.ts makes many.
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
import fc from "fast-check";
import type { Scene } from "../conformance/scene.ts";
import { fit, fromSchema, mutated, mutatedForm } from "./values.ts";

const patience = 10_000;

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

/** `seedOf`: the seed for an operation; undefined for another one with every run. */
type Fuzz = { runs: number; seedOf: (id: string) => number | undefined };

/** What holds for an environment as a whole, or for its people: bad input there may change what later parts find. */
const reachesFar =
  /^(environments|retention|attention|brand|preferences|integrations|sources|files|auth|people|captured)\.|^events\.broadcast$/;

const all = Object.values(operations) as Operation[];

export const fuzzRecords = (scene: Scene, fuzz: Fuzz): void =>
  fuzzOperations(
    all.filter(({ id }) => !reachesFar.test(id)),
    scene,
    fuzz,
  );

export function fuzzSettings(scene: Scene, fuzz: Fuzz): void {
  fuzzOperations(
    all.filter(({ id }) => reachesFar.test(id)),
    scene,
    fuzz,
  );

  test("nothing that came in made the service itself fail", async () => {
    const { body } = await scene.client("subscribers.list");
    assert.ok(Array.isArray(body.data));
    const errors = scene.logs.filter(({ level }) => Number(level) >= 50);
    assert.deepEqual(errors, []);
  });
}

function fuzzOperations(some: Operation[], { probe, inputs }: Scene, { runs, seedOf }: Fuzz): void {
  for (const operation of some) {
    const id = operation.id as OperationId;
    test(`${id} takes or refuses whatever comes`, async () => {
      const good = await inputs.keep(operation);
      const documented = statusesOf(operation);
      const given =
        operation.bodyType === "multipart" ? mutatedForm(good) : fc.oneof(fromContract(operation, good), mutated(good));
      const property = fc.asyncProperty(given, async (input) => {
        const signal = AbortSignal.timeout(patience);
        const answer = await probe(id, { ...sendable(operation, input, good), signal });
        if (answer.status < 300) inputs.forget(operation);
        assert.ok(
          documented.has(answer.status) && answer.status < 500,
          `${answer.status} ${answer.text.slice(0, 500)}`,
        );
      });
      const limits = { interruptAfterTimeLimit: 90_000, markInterruptAsFailure: false };
      const seed = seedOf(id);
      await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }), ...limits });
    });
  }
}
