import assert from "node:assert/strict";
import { test } from "node:test";
import { findReportedRecipient } from "../../../src/pipeline/deliver/receipt-rules.ts";

const alone = { address: "ada@example.com", recipients: null };
const several = {
  address: "Ada <ada@example.com>",
  recipients: ["Ada <ada@example.com>", "B@Example.com", "c@münchen.de"],
};

test("which recipient a report is about", () => {
  const table: [
    named: string | undefined,
    sent: typeof several | typeof alone,
    isOwn: boolean,
    address: string | null,
  ][] = [
    [undefined, alone, true, "ada@example.com"],
    ["ADA@example.COM", alone, true, "ada@example.com"],
    ["Ada <ada@example.com>", alone, true, "ada@example.com"],
    // Forwarded, or in a spelling we do not know: the mail had one recipient, but not one by that name.
    ["ada@elsewhere.example", alone, true, null],
    ["", alone, true, null],
    [undefined, several, true, null],
    ["ada@example.com", several, true, "ada@example.com"],
    ["b@example.com", several, false, "b@example.com"],
    ["c@xn--mnchen-3ya.de", several, false, "c@münchen.de"],
    ["ada@elsewhere.example", several, false, null],
    ["not an address", several, false, null],
  ];
  for (const [named, sent, isOwn, address] of table) {
    assert.deepEqual(
      findReportedRecipient(named, sent),
      { isOwn, address },
      `${named} of ${sent.recipients ?? sent.address}`,
    );
  }
  // The subscriber was deleted, and the address with it.
  const forgotten = { address: null, recipients: null };
  assert.deepEqual(findReportedRecipient("ada@example.com", forgotten), { isOwn: true, address: null });
  assert.deepEqual(findReportedRecipient(undefined, forgotten), { isOwn: true, address: null });
});
