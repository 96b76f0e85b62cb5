import assert from "node:assert/strict";
import { test } from "node:test";
import { SemaphoreFullError } from "../../src/lib/load/semaphores.ts";
import { hashPassword, isPasswordRight } from "../../src/lib/tokens/passwords.ts";

const cheap = 10;

test("many attempts for one account are refused, and those for another get their turn", async () => {
  const flood = Array.from({ length: 60 }, () => hashPassword("eve@example.com", "a guess", cheap));
  const settled = Promise.allSettled(flood);
  const attempt = { owner: "ada@example.com", password: "a guess", hash: null };
  assert.equal(await isPasswordRight(attempt, cheap), false);
  const refused = (await settled).filter((one) => one.status === "rejected");
  assert.ok(refused.length >= 48, "two are worked on and ten wait");
  for (const { reason } of refused) assert.ok(reason instanceof SemaphoreFullError);
});

test("a password is right in every spelling of Unicode, and wrong without a hash", async () => {
  const owner = "ada@example.com";
  const hash = await hashPassword(owner, "e\u0301clair au chocolat", 15);
  assert.match(hash, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  // The hash says what it cost, whatever a new one would cost.
  assert.equal(await isPasswordRight({ owner, password: "\u00e9clair au chocolat", hash }, cheap), true);
  assert.equal(await isPasswordRight({ owner, password: "eclair au chocolat", hash }, cheap), false);
});
