import assert from "node:assert/strict";
import { test } from "node:test";
import { SemaphoreFullError } from "../../src/lib/load/semaphores.ts";
import { hashPassword, isPasswordRight } from "../../src/lib/tokens/passwords.ts";

test("many attempts for one account are refused, and those for another get their turn", async () => {
  const flood = Array.from({ length: 60 }, () => hashPassword("eve@example.com", "a guess"));
  const settled = Promise.allSettled(flood);
  assert.equal(await isPasswordRight("ada@example.com", "a guess", null), false);
  const refused = (await settled).filter((one) => one.status === "rejected");
  assert.ok(refused.length >= 48, "two are worked on and ten wait");
  for (const { reason } of refused) assert.ok(reason instanceof SemaphoreFullError);
});

test("a password is right in every spelling of Unicode, and wrong without a hash", async () => {
  const hash = await hashPassword("ada@example.com", "e\u0301clair au chocolat");
  assert.equal(await isPasswordRight("ada@example.com", "\u00e9clair au chocolat", hash), true);
  assert.equal(await isPasswordRight("ada@example.com", "eclair au chocolat", hash), false);
});
