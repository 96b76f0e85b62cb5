// Idempotency keys. The lock on the key, the request's writes and the stored answer share one transaction: either all of
// it happened or none of it. See docs/errors.md for what a caller sees.
import { failure } from "../failure.ts";
import { canonicalJson } from "../lib/json.ts";
import { sha256 } from "../lib/secrets.ts";
import { type Db, inRepeatableTransaction, type Tx } from "../store/db.ts";
import { claimKey, hasAnswer, type StoredAnswer, storeAnswer } from "../store/idempotency.ts";

export type Answer = { status: number; body: string | null; isReplay: boolean };

export type IdempotentRequest = { environmentId: string; key: string; method: string; url: string; body: unknown };

/** Thrown when another request stored its answer first; the work is rolled back and the stored answer is read. */
class AnsweredMeanwhile extends Error {}

const maxKeyLength = 255;

/** Reads the header; an empty value counts as none. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!key) return null;
  if (key.length > maxKeyLength) throw failure("IDEMPOTENCY_KEY_TOO_LONG", {});
  return key;
}

export const fingerprintOf = (request: IdempotentRequest): Buffer =>
  sha256(`${request.method} ${request.url}\n${request.body === undefined ? "" : canonicalJson(request.body)}`);

/**
 * Runs `work` once per key. `work` answers the serialised answer; what it throws rolls back its writes and is worded by
 * `onFailure`, which says whether that answer is kept too (4xx are, 5xx are not: a stored 500 would never heal).
 *
 * `before` is for what waits for others, and runs once, ahead of the transaction, unless the key holds an answer. It has
 * the key to itself in this process only, because a transaction is what holds a key: of two requests at once on different
 * processes both may come so far, and one of them is answered with what the other stored.
 */
export async function runOnce(
  db: Db,
  request: IdempotentRequest,
  work: (tx: Tx) => Promise<{ status: number; body: string | null }>,
  onFailure: (error: unknown) => { status: number; body: string; isKept: boolean } | null,
  before?: () => Promise<void>,
): Promise<Answer> {
  const { environmentId, key } = request;
  const fingerprint = fingerprintOf(request);
  let isReady = before === undefined;
  for (let tries = 0; ; tries++) {
    try {
      if (before && !isReady && !(await hasAnswer(db, environmentId, key))) {
        await alone(`${environmentId} ${key}`, before);
        isReady = true;
      }
      return await inRepeatableTransaction(db, async (tx) => {
        const claim = await claimKey(tx, environmentId, key);
        if (claim.stored) return replay(claim.stored, fingerprint);
        if (!claim.isLocked) throw inProgress();
        // The answer that was there a moment ago is past its 24 hours.
        if (!isReady) throw new AnsweredMeanwhile();
        const answer = await work(tx);
        if (!(await storeAnswer(tx, environmentId, key, { fingerprint, ...answer }))) throw new AnsweredMeanwhile();
        return { ...answer, isReplay: false };
      });
    } catch (error) {
      if (error instanceof AnsweredMeanwhile && tries < 3) continue;
      const answer = onFailure(error instanceof AnsweredMeanwhile ? inProgress() : error);
      if (!answer) throw error;
      // The lock went with the transaction, so another request may have stored its answer by now. Whoever stored first
      // is right: this request changed nothing, and a repeat has to see what the key holds.
      const isHeld = !answer.isKept || (await storeAnswer(db, environmentId, key, { fingerprint, ...answer }));
      if (!isHeld && tries < 3) continue;
      return { status: answer.status, body: answer.body, isReplay: false };
    }
  }
}

/** Keys of requests that are waiting for somebody else, ahead of their transaction. */
const busy = new Set<string>();

async function alone(name: string, work: () => Promise<void>): Promise<void> {
  if (busy.has(name)) throw inProgress();
  busy.add(name);
  try {
    await work();
  } finally {
    busy.delete(name);
  }
}

const inProgress = () => failure("IDEMPOTENCY_IN_PROGRESS", {}, { headers: { "retry-after": "1" } });

function replay(stored: StoredAnswer, fingerprint: Buffer): Answer {
  if (!stored.fingerprint.equals(fingerprint)) {
    throw failure(
      "IDEMPOTENCY_KEY_REUSED",
      {},
      {
        errors: { "idempotency-key": { messages: ["idempotency-key was used with another request"] } },
      },
    );
  }
  return { status: stored.status, body: stored.body, isReplay: true };
}
