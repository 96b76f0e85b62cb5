// Secrets at rest: AES-256-GCM under a key from the configuration. Each ciphertext names the version of the key that
// encrypted it, so that keys can be rotated: the first key encrypts, all of them decrypt.
// Which parts of rows are encrypted: pipeline/encrypted-parts.ts.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

export type EncryptionKey = { version: number; key: Buffer };

export type Secrets = {
  encrypt(clear: string | Buffer): string;
  decrypt(stored: string): string;
  decryptBytes(stored: string): Buffer;
  /** Signs a text that leaves the service and comes back. It can be read without the key, but not forged. */
  sign(purpose: string, text: string): string;
  /** The signed text, or null when the signature is not valid for this purpose. */
  readSigned(purpose: string, signed: string): string | null;
  /** Keyed hashes of a text, under each key, the current one first: for finding a value that must not be readable. */
  hashes(purpose: string, text: string): string[];
};

export class UnknownKeyVersionError extends Error {}

/**
 * Reads `TIDINGS_ENCRYPTION_KEY`: one key, or several separated by commas as `<version>:<key>`, newest first. A key is
 * 32 bytes in base64 or hex.
 */
export function parseEncryptionKeys(text: string): EncryptionKey[] {
  const keys = text.split(",").map((part) => {
    const match = /^(?:(\d+):)?(.+)$/.exec(part.trim());
    if (!match) throw new Error("is empty");
    const material = match[2]!;
    const key = /^[0-9a-fA-F]{64}$/.test(material) ? Buffer.from(material, "hex") : Buffer.from(material, "base64");
    if (key.length !== 32) throw new Error("must be 32 bytes in base64 or hex (try: openssl rand -base64 32)");
    return { version: Number(match[1] ?? 1), key };
  });
  if (new Set(keys.map((entry) => entry.version)).size !== keys.length) {
    throw new Error("names a key version twice; write several keys as 2:<new key>,1:<old key>");
  }
  return keys;
}

export function createSecrets(keys: EncryptionKey[]): Secrets {
  const current = keys[0]!;
  // Key objects: with the bytes themselves Node takes twice as long to encrypt a short text.
  const byVersion = new Map(keys.map((entry) => [entry.version, createSecretKey(entry.key)]));
  const currentKey = byVersion.get(current.version)!;
  // One derived key per purpose, so that a signature for one purpose is not valid for another. Purposes are constants
  // of the code, so the map stays small.
  const derived = new Map<string, KeyObject>();
  const keyFor = ({ version, key }: EncryptionKey, purpose: string): KeyObject => {
    const name = `${version} ${purpose}`;
    const known = derived.get(name);
    if (known) return known;
    const made = createSecretKey(Buffer.from(hkdfSync("sha256", key, "", `tidings signature: ${purpose}`, 32)));
    derived.set(name, made);
    return made;
  };
  const macOf = (key: EncryptionKey, purpose: string, text: string): Buffer =>
    createHmac("sha256", keyFor(key, purpose)).update(text).digest();
  const decryptBytes = (stored: string): Buffer => {
    const match = /^v(\d+)\.(.+)$/.exec(stored);
    const key = match && byVersion.get(Number(match[1]));
    if (!match || !key)
      throw new UnknownKeyVersionError(`no encryption key of version ${match?.[1] ?? "?"} is configured`);
    const bytes = Buffer.from(match[2]!, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  };
  return {
    encrypt(clear) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", currentKey, iv);
      const bytes = typeof clear === "string" ? Buffer.from(clear) : clear;
      const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return `v${current.version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    decrypt: (stored) => decryptBytes(stored).toString("utf8"),
    decryptBytes,
    sign(purpose, text) {
      const mac = macOf(current, purpose, text).toString("base64url");
      return `${Buffer.from(text).toString("base64url")}.${mac}`;
    },
    readSigned(purpose, signed) {
      const [body = "", mac = ""] = signed.split(".");
      const text = Buffer.from(body, "base64url").toString("utf8");
      const given = Buffer.from(mac, "base64url");
      const isValid = keys.some((key) => {
        const expected = macOf(key, purpose, text);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return isValid ? text : null;
    },
    hashes: (purpose, text) => keys.map((key) => macOf(key, purpose, text).toString("base64url")),
  };
}

export const sha256 = (text: string | Buffer): Buffer => createHash("sha256").update(text).digest();

/** A new API key: 32 random bytes in text form, with a prefix that secret scanners recognize. */
export const newApiKey = (): string => `tdg_${randomBytes(32).toString("base64url")}`;

/** Shown instead of a stored secret. A request that sends it back keeps the stored value. */
export const mask = "********";
