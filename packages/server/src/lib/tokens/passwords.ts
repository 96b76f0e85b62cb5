// Passwords, hashed with scrypt. The hash names its parameters, so that they can be raised later.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** One of the equal choices of OWASP's Password Storage Cheat Sheet: 32 MB, and about 200 ms of one core. */
const current = { N: 2 ** 15, r: 8, p: 3 };
const keyLength = 32;

type Parameters = typeof current;

const derive = (password: string, salt: Buffer, { N, r, p }: Parameters, length: number): Promise<Buffer> => {
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) =>
    // Unicode has several spellings of the same letter, and keyboards differ in which they send.
    scrypt(password.normalize("NFKC"), salt, length, options, (error, key) => (error ? reject(error) : resolve(key))),
  );
};

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, current, keyLength);
  const { N, r, p } = current;
  return `scrypt$${N}$${r}$${p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** No password has this hash. A sign-in without a stored hash is checked against it, so that it takes as long as others. */
const hashOfNone = `scrypt$${current.N}$${current.r}$${current.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** False where there is no hash, after the same work as with one. */
export async function isPasswordRight(password: string, hash: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", stored = ""] = (hash ?? hashOfNone).split("$");
  const expected = Buffer.from(stored, "base64url");
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const key = await derive(password, Buffer.from(salt, "base64url"), parameters, expected.length);
  return timingSafeEqual(key, expected) && hash !== null;
}
