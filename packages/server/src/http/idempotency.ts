// Idempotency keys. The lock on the key, the writes of the request and the stored answer share one transaction: either all
// of it happens or none of it. docs/errors.md lists the errors.
import { Failure, failure } from "../failure.ts";
import { canonicalJson } from "../lib/json.ts";
import { sha256 } from "../lib/secrets.ts";
import { type Db, inRepeatableTransaction, type Tx } from "../store/db.ts";
import { claimKeys, hasAnswer, type KeyClaim, storeAnswer, storeAnswers } from "../store/idempotency.ts";

export type Answer = { status: number; body: string | null; isReplay: boolean };

export type IdempotentRequest = { environmentId: string; key: string; method: string; url: string; body: unknown };

/** Another request has stored its answer first: this work is rolled back, and the stored answer is read. */
class AnswerStoredMeanwhile extends Error {}

const maxKeyLength = 255;

/** Reads the header; an empty value counts as none. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!key) return null;
  if (key.length > maxKeyLength) throw failure("IDEMPOTENCY_KEY_TOO_LONG", {});
  return key;
}

export const fingerprintOf = (request: Pick<IdempotentRequest, "method" | "url" | "body">): Buffer =>
  sha256(`${request.method} ${request.url}\n${request.body === undefined ? "" : canonicalJson(request.body)}`);

export type IdempotentWork = {
  /**
   * External calls, made once, ahead of the transaction, unless an answer is stored under the key. Only a transaction locks
   * the key in the database, so `before` excludes other requests of this process only: two requests on different processes
   * may both get here, and one of them is answered with what the other stored.
   */
  before?: () => Promise<void>;
  /** Returns the serialised answer. */
  work(tx: Tx): Promise<{ status: number; body: string | null }>;
  /** The answer to an error of `work`; null to throw it. `isKept`: it is stored. A stored 5xx could never be retried. */
  onFailure(error: unknown): { status: number; body: string; isKept: boolean } | null;
  /** How the text of an answer is stored, and read again. */
  seal(text: string): string;
  open(stored: string): string;
};

/** Runs `work` once per key. An error of `work` rolls back its writes. */
export async function runOnce(
  db: Db,
  request: IdempotentRequest,
  { before, work, onFailure, seal, open }: IdempotentWork,
): Promise<Answer> {
  const { environmentId, key } = request;
  const fingerprint = fingerprintOf(request);
  const store = (on: Db, { status, body }: { status: number; body: string | null }): Promise<boolean> =>
    storeAnswer(on, environmentId, key, { fingerprint, status, body: body && seal(body) });
  let isPrechecked = before === undefined;
  for (let tries = 0; ; tries++) {
    try {
      if (before && !isPrechecked && !(await hasAnswer(db, environmentId, key))) {
        await runExclusively(`${environmentId} ${key}`, before);
        isPrechecked = true;
      }
      return await inRepeatableTransaction(db, async (tx) => {
        const [claim] = await claimKeys(tx, environmentId, [key]);
        const known = knownAnswer(claim!, fingerprint, open);
        if (known instanceof Failure) throw known;
        if (known) return known;
        // The answer that hasAnswer found has expired since (24 hours): try again with the external calls.
        if (!isPrechecked) throw new AnswerStoredMeanwhile();
        const answer = await work(tx);
        if (!(await store(tx, answer))) throw new AnswerStoredMeanwhile();
        return { ...answer, isReplay: false };
      });
    } catch (error) {
      if (error instanceof AnswerStoredMeanwhile && tries < 3) continue;
      const answer = onFailure(error instanceof AnswerStoredMeanwhile ? inProgress() : error);
      if (!answer) throw error;
      // The rollback has released the lock, so another request may have stored its answer by now. The first stored answer
      // counts: this request has changed nothing, and repeats have to get what is stored.
      const isFinal = !answer.isKept || (await store(db, answer));
      if (!isFinal && tries < 3) continue;
      return { status: answer.status, body: answer.body, isReplay: false };
    }
  }
}

/** Keys of requests that are making their external calls. */
const busyKeys = new Set<string>();

async function runExclusively(name: string, work: () => Promise<void>): Promise<void> {
  if (busyKeys.has(name)) throw inProgress();
  busyKeys.add(name);
  try {
    await work();
  } finally {
    busyKeys.delete(name);
  }
}

const inProgress = () => failure("IDEMPOTENCY_IN_PROGRESS", {}, { headers: { "retry-after": "1" } });

/** The answer to a request whose key is in use or has an answer; null when the request holds the key now. */
function knownAnswer(
  { isLocked, stored }: KeyClaim,
  fingerprint: Buffer,
  open: IdempotentWork["open"],
): Answer | Failure | null {
  if (!stored) return isLocked ? null : inProgress();
  if (!stored.fingerprint.equals(fingerprint)) {
    const errors = { "idempotency-key": { messages: ["idempotency-key was used with another request"] } };
    return failure("IDEMPOTENCY_KEY_REUSED", {}, { errors });
  }
  return { status: stored.status, body: stored.body && open(stored.body), isReplay: true };
}

/** `key` is null for a request without one. */
export type SharedRequest = Omit<IdempotentRequest, "environmentId" | "key"> & { key: string | null };

export type SharedWork = Pick<IdempotentWork, "seal" | "open"> & {
  /** Answers the requests with these indexes, in order. A failure is an answer too: its request has written nothing. */
  work(tx: Tx, indexes: number[]): Promise<{ status: number; body: string | null; isKept: boolean }[]>;
};

/**
 * As `runOnce`, for several requests of one environment with different keys, in one transaction. A failure is that of a request
 * whose key is in use. Throws when the requests have to run on their own.
 */
export async function runTogether(
  db: Db,
  environmentId: string,
  requests: SharedRequest[],
  { work, seal, open }: SharedWork,
): Promise<(Answer | Failure)[]> {
  const fingerprints = requests.map((request) => (request.key === null ? null : fingerprintOf(request)));
  return inRepeatableTransaction(db, async (tx) => {
    const keys = requests.flatMap(({ key }) => key ?? []);
    const claims = new Map((await claimKeys(tx, environmentId, keys)).map((claim) => [claim.key, claim]));
    const known = requests.map(({ key }, index) =>
      key === null ? null : knownAnswer(claims.get(key)!, fingerprints[index]!, open),
    );
    const indexes = [...requests.keys()].filter((index) => known[index] === null);
    const answers = await work(tx, indexes);
    const stored = indexes.flatMap((index, at) => {
      const { key } = requests[index]!;
      const { status, body, isKept } = answers[at]!;
      if (key === null || !isKept) return [];
      return { key, fingerprint: fingerprints[index]!, status, body: body && seal(body) };
    });
    if ((await storeAnswers(tx, environmentId, stored)) < stored.length) throw new AnswerStoredMeanwhile();
    const fresh = new Map(indexes.map((index, at) => [index, { ...answers[at]!, isReplay: false }]));
    return known.map((answer, index) => answer ?? fresh.get(index)!);
  });
}
