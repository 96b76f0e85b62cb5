// Every operation of the contract, called well: the status and every documented field are as the contract says. Every
// write, repeated with its idempotency key, returns the same bytes again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, type OperationId, operations, successStatuses } from "@tidings/contract";
import { compileBody, faultsOf } from "../../src/validation.ts";
import type { Scene } from "./scene.ts";
import { createFieldBook } from "./seen.ts";
import { explained, leftOut } from "./unseen-fields.ts";

export function testSuccess({ probe, inputs }: Scene): void {
  const book = createFieldBook();
  const all = Object.values(operations) as Operation[];

  for (const operation of all) {
    const id = operation.id as OperationId;
    test(`${id} succeeds as documented`, async () => {
      const input = await inputs.take(operation);
      const headers = { "idempotency-key": `conformance-${id}` };
      const answer = await probe(id, { ...input, headers: { ...input.headers, ...headers } });
      const { success, method } = operation;
      assert.ok(successStatuses(success).includes(answer.status), `${answer.status} ${answer.text.slice(0, 2_000)}`);
      if (success.schema) {
        const check = compileBody(success.schema);
        if (!check(answer.body)) assert.deepEqual(faultsOf(check.errors ?? []), {});
        book.record(success.schema, answer.body, id);
        assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
      } else {
        assert.equal(answer.text, "");
        assert.equal(answer.headers.get("content-type"), null);
      }
      // Operations without an API key have no idempotency keys.
      if (method === "GET" || operation.isReadOnly || operation.access) return;
      // The API key is deleted with its environment, so there is no repeat.
      if (id === "environments.delete") return;
      assert.equal(answer.headers.get("idempotency-key"), headers["idempotency-key"]);
      assert.equal(answer.headers.get("idempotency-replay"), null);
      const again = await probe(id, { ...input, headers });
      assert.deepEqual([again.status, again.text], [answer.status, answer.text]);
      assert.equal(again.headers.get("idempotency-replay"), "true");
    });
  }

  test("every documented field is sent by some operation, or its absence is explained above", () => {
    const unexplained = book.unseen().filter((field) => !explained.some(([pattern]) => pattern.test(field)));
    assert.deepEqual(unexplained, []);
  });

  test("what is left out on purpose is in no answer", () => {
    const unseen = new Set(book.unseen());
    assert.deepEqual(
      leftOut.filter((field) => !unseen.has(field)),
      [],
    );
  });
}
