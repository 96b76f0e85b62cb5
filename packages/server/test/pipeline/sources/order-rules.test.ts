// The rules of order in a batch of rows, for any rows: which ones wait, and where a batch ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { type SourceEntry, takeBatch } from "../../../src/pipeline/sources/entries.ts";
import { type ClaimedRow, marksOf, withoutHeld } from "../../../src/store/sources/outbox.ts";

const kinds = ["subscriber", "trigger", "cancel", "refused"] as const;
const phaseOf = (kind: SourceEntry["kind"]): number => ({ refused: 0, subscriber: 0, trigger: 1, cancel: 2 })[kind];

const rowsOf = fc
  .array(fc.record({ kind: fc.constantFrom(...kinds), key: fc.constantFrom(null, "a", "b"), on: fc.nat({ max: 4 }) }))
  .map((list) =>
    list.map(({ kind, key, on }, id) => {
      const row: ClaimedRow = { id, kind, key, transaction_id: `t${on}`, body: {}, bytes: 2, created_at: new Date() };
      return { kind, row } as unknown as SourceEntry;
    }),
  );

test("the phases of a batch never change the order of entries with the same key or transaction id", () => {
  fc.assert(
    fc.property(rowsOf, (entries) => {
      const batch = takeBatch(entries);
      assert.deepEqual(batch, entries.slice(0, batch.length));
      assert.ok(batch.length > 0 || entries.length === 0, "a batch is never empty");
      const handled = batch.toSorted((a, b) => phaseOf(a.kind) - phaseOf(b.kind));
      for (const mark of new Set(batch.flatMap(({ row }) => marksOf(row)))) {
        const has = ({ kind, row }: SourceEntry) => kind !== "refused" && marksOf(row).includes(mark);
        assert.deepEqual(handled.filter(has), batch.filter(has), mark);
      }
    }),
  );
});

test("a row waits for earlier ones with its key or transaction id that others hold, and for no more", () => {
  fc.assert(
    fc.property(rowsOf, fc.array(fc.boolean()), (entries, isHeld) => {
      const rows = entries.map(({ row }) => row);
      const held = rows.filter((_, index) => isHeld[index]);
      const claimed = rows.filter((_, index) => !isHeld[index]);
      const kept = new Set(withoutHeld(claimed, held));
      for (const row of claimed) {
        const mustWait = rows.some(
          (other) =>
            other.id < row.id && !kept.has(other) && marksOf(other).some((mark) => marksOf(row).includes(mark)),
        );
        assert.equal(kept.has(row), !mustWait, `row ${row.id}`);
      }
    }),
  );
});
