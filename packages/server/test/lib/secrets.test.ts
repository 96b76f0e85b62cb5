import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  createSecrets,
  newApiKey,
  parseEncryptionKeys,
  sha256,
  UnknownKeyVersionError,
} from "../../src/lib/secrets.ts";

const key = (version: number) => ({ version, key: randomBytes(32) });

test("what was encrypted decrypts to itself, and no two ciphertexts are alike", () => {
  const secrets = createSecrets([key(1)]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (clear) => {
      const stored = secrets.encrypt(clear);
      assert.equal(secrets.decrypt(stored), clear);
      assert.notEqual(secrets.encrypt(clear), stored);
      if (clear.length > 3) assert.ok(!stored.includes(clear));
    }),
  );
});

test("a ciphertext that was changed anywhere is refused", () => {
  const secrets = createSecrets([key(1)]);
  const stored = secrets.encrypt("password");
  const body = Buffer.from(stored.slice(3), "base64url");
  for (let index = 0; index < body.length; index++) {
    const changed = Buffer.from(body);
    changed[index]! ^= 1;
    assert.throws(() => secrets.decrypt(`v1.${changed.toString("base64url")}`), `byte ${index}`);
  }
  assert.throws(() => secrets.decrypt(stored.slice(0, -4)));
  assert.throws(() => createSecrets([key(1)]).decrypt(stored));
});

test("a shortened authentication tag is refused", () => {
  const secrets = createSecrets([key(1)]);
  // Without a body the bytes behind the nonce are all tag; fewer than 16 of them must not count as one.
  const whole = Buffer.from(secrets.encrypt("").slice(3), "base64url");
  for (const length of [12, 16, 20, 27]) {
    assert.throws(() => secrets.decrypt(`v1.${whole.subarray(0, length).toString("base64url")}`), `${length} bytes`);
  }
});

test("after a rotation the newest key encrypts and all keys decrypt", () => {
  const [old, fresh] = [key(1), key(2)];
  const stored = createSecrets([old]).encrypt("a");
  const rotated = createSecrets([fresh, old]);
  assert.equal(rotated.decrypt(stored), "a");
  assert.match(rotated.encrypt("b"), /^v2\./);
  assert.throws(() => createSecrets([fresh]).decrypt(stored), UnknownKeyVersionError);
  for (const text of ["", "clear text", "v1", "v.x", "v9.AAAA"]) {
    assert.throws(() => rotated.decrypt(text), UnknownKeyVersionError, text);
  }
});

test("keys are read in base64 and hex, one or several", () => {
  const bytes = randomBytes(32);
  const [base64, hex] = [bytes.toString("base64"), bytes.toString("hex")];
  assert.deepEqual(parseEncryptionKeys(base64), [{ version: 1, key: bytes }]);
  assert.deepEqual(parseEncryptionKeys(hex), [{ version: 1, key: bytes }]);
  const other = randomBytes(32);
  assert.deepEqual(parseEncryptionKeys(`2:${other.toString("base64")}, 1:${hex}`), [
    { version: 2, key: other },
    { version: 1, key: bytes },
  ]);
  assert.throws(() => parseEncryptionKeys(""), /is empty/);
  assert.throws(() => parseEncryptionKeys("abc"), /32 bytes/);
  assert.throws(() => parseEncryptionKeys(randomBytes(31).toString("base64")), /32 bytes/);
  assert.throws(() => parseEncryptionKeys(`${base64},${hex}`), /twice/);
});

test("API keys are long, recognisable and never the same", () => {
  const keys = Array.from({ length: 1_000 }, newApiKey);
  for (const text of keys) assert.match(text, /^tdg_[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(sha256("a").length, 32);
  assert.deepEqual(sha256("a"), sha256(Buffer.from("a")));
});
