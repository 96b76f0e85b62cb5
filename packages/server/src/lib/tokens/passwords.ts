// Passwords, hashed with scrypt. The hash names its parameters, so that they can be raised later. Hashing runs on the
// threads that Node also needs for name lookups and files, so a process hashes two passwords at a time; others wait.
// Accounts take turns, so that many attempts for one account do not keep the members of other accounts out.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { createFairSemaphore } from "../load/semaphores.ts";

/**
 * `cost` is TIDINGS_PASSWORD_COST. Its default, 15, is one of the equal choices of OWASP's Password Storage Cheat
 * Sheet: 32 MB, and about 200 ms of one core.
 */
const parametersOf = (cost: number) => ({ N: 2 ** cost, r: 8, p: 3 });
const keyLength = 32;

/** Beyond it, a request for the same account is refused with 429. */
const turns = createFairSemaphore({ total: 2, perOwner: 2, waitingPerOwner: 10, waitMs: 15_000 });

/** Whose password it is: the address of the account (lib/addresses.ts), or the id of a link that creates one. */
type Owner = string;

type Parameters = ReturnType<typeof parametersOf>;

type Work = { owner: Owner; password: string; salt: Buffer; length: number };

async function derive({ owner, password, salt, length }: Work, { N, r, p }: Parameters): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  // Unicode has several spellings of the same letter, and keyboards differ in which they send.
  const text = password.normalize("NFKC");
  const release = await turns.acquire(owner);
  try {
    return await new Promise((resolve, reject) =>
      scrypt(text, salt, length, options, (error, key) => (error ? reject(error) : resolve(key))),
    );
  } finally {
    release();
  }
}

export async function hashPassword(owner: Owner, password: string, cost: number): Promise<string> {
  const salt = randomBytes(16);
  const { N, r, p } = parametersOf(cost);
  const key = await derive({ owner, password, salt, length: keyLength }, { N, r, p });
  return `scrypt$${N}$${r}$${p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/**
 * No password has this hash. A sign-in without a stored hash is checked against it, so that it takes as long as others.
 */
function hashOfNone(cost: number): string {
  const { N, r, p } = parametersOf(cost);
  return `scrypt$${N}$${r}$${p}$${"A".repeat(22)}$${"A".repeat(43)}`;
}

type Attempt = { owner: Owner; password: string; hash: string | null };

/** False where there is no hash, after the same work as with one of this cost. */
export async function isPasswordRight({ owner, password, hash }: Attempt, cost: number): Promise<boolean> {
  const [, N, r, p, text = "", stored = ""] = (hash ?? hashOfNone(cost)).split("$");
  const expected = Buffer.from(stored, "base64url");
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  const salt = Buffer.from(text, "base64url");
  const key = await derive({ owner, password, salt, length: expected.length }, parameters);
  return timingSafeEqual(key, expected) && hash !== null;
}
