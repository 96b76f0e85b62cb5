// Idempotency keys. The lock on a key, the writes of its request and the stored response share one transaction: either
// all of it happens or none of it. docs/errors.md lists the errors.
import type { Ctx } from "../../context.ts";
import { Failure, failure } from "../../failure.ts";
import { canonicalJson } from "../../lib/json.ts";
import { sha256 } from "../../lib/secrets.ts";
import { openResponse, sealResponse } from "../../lib/stored-responses.ts";
import { type Db, inRepeatableTransaction, type Tx } from "../../store/db.ts";
import { claimKeys, hasAnswer, type KeyClaim, storeAnswers } from "../../store/idempotency.ts";

/** `key` is null for a request without one: it runs every time. */
type KeyedRequest = { key: string | null; request: { method: string; url: string; body: unknown } };

/** `isTransient`: a repeat may succeed, so the response is not stored. `isReplay`: it is the stored one. */
export type KeyedResponse = { status: number; body: string | null; isTransient?: boolean; isReplay?: boolean };

type KeyedWork<R extends KeyedRequest, A extends KeyedResponse> = {
  /**
   * External calls of a single request, made once, ahead of the transaction, unless a response is stored under the key.
   * Only a transaction locks the key in the database, so this excludes other requests of this process only: two
   * requests on different processes may both get here, and one of them gets the response that the other stored.
   */
  precheck?: () => Promise<void>;
  /** Returns the serialized responses, in order. An error concerns all requests, and rolls back their writes. */
  run(tx: Tx, requests: R[]): Promise<A[]>;
  /** The response to an error; null to throw it. */
  refuse(request: R, error: unknown): A | null;
};

/** Another request has stored its response first: this work is rolled back, and the stored response is read. */
class ResponseStoredError extends Error {}

const maxKeyLength = 255;
const maxTries = 4;

/** Reads the header; an empty value counts as none. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!key) return null;
  if (key.length > maxKeyLength) throw failure("IDEMPOTENCY_KEY_TOO_LONG", {});
  return key;
}

export const fingerprintOf = ({ method, url, body }: KeyedRequest["request"]): Buffer =>
  sha256(`${method} ${url}\n${body === undefined ? "" : canonicalJson(body)}`);

/**
 * Runs requests of one environment in one transaction, each once per key. An error of a single request is refused, and
 * the refusal is stored; an error of several is thrown, because it may be that of any of them.
 */
export async function runOncePerKey<R extends KeyedRequest, A extends KeyedResponse>(
  ctx: Pick<Ctx, "db" | "secrets">,
  environmentId: string,
  requests: R[],
  { precheck, run, refuse }: KeyedWork<R, A>,
): Promise<(A | KeyedResponse)[]> {
  const keys = openKeys<R>(ctx, environmentId, requests);
  const refuseOrThrow = (request: R, error: unknown): A => {
    const refused = refuse(request, error);
    if (!refused) throw error;
    return refused;
  };
  let isPrechecked = precheck === undefined;
  const attempt = async (tx: Tx): Promise<(A | KeyedResponse)[]> => {
    const claimed = await keys.claim(tx);
    const responses = new Map<R, A | KeyedResponse>();
    for (const [request, known] of claimed.known)
      responses.set(request, known instanceof Failure ? refuseOrThrow(request, known) : known);
    // The response that the precheck found has expired since (24 hours): try again with the external calls.
    if (claimed.open.length > 0 && !isPrechecked) throw new ResponseStoredError();
    const fresh = claimed.open.length > 0 ? await run(tx, claimed.open) : [];
    const entries = claimed.open.map((request, index) => [request, fresh[index]!] as const);
    if (!(await keys.store(tx, entries))) throw new ResponseStoredError();
    for (const [request, response] of entries) responses.set(request, response);
    for (const [request, first] of claimed.repeats) {
      const known = keys.repeat(request, first, responses.get(first)!);
      responses.set(request, known instanceof Failure ? refuseOrThrow(request, known) : known);
    }
    return requests.map((request) => responses.get(request)!);
  };
  for (let tries = 1; ; tries++) {
    try {
      if (precheck && !isPrechecked) isPrechecked = await keys.precheck(requests[0]!, precheck);
      return await inRepeatableTransaction(ctx.db, attempt);
    } catch (error) {
      if (error instanceof ResponseStoredError && tries < maxTries) continue;
      const [request, ...others] = requests;
      if (!request || others.length > 0) throw error;
      const refused = refuse(request, error instanceof ResponseStoredError ? inProgress() : error);
      if (!refused) throw error;
      // The rollback has released the lock, so another request may have stored its response by now. The first stored
      // response counts: this request has changed nothing, and repeats have to get what is stored.
      if ((await keys.store(ctx.db, [[request, refused]])) || tries === maxTries) return [refused];
    }
  }
}

/** The keys of requests, and what is stored under them. */
function openKeys<R extends KeyedRequest>(
  { db, secrets }: Pick<Ctx, "db" | "secrets">,
  environmentId: string,
  requests: R[],
) {
  const fingerprints = new Map(requests.map((one) => [one, one.key === null ? null : fingerprintOf(one.request)]));
  const fingerprintFor = (request: R): Buffer => fingerprints.get(request)!;
  return {
    /** False when a response is stored already. */
    async precheck({ key }: R, precheck: () => Promise<void>): Promise<boolean> {
      if (key !== null && (await hasAnswer(db, environmentId, key))) return false;
      await (key === null ? precheck() : runExclusively(`${environmentId} ${key}`, precheck));
      return true;
    },
    /**
     * Locks the keys. `known`: requests that a stored response, or another request in progress, decides; `open`: those
     * that have to run; `repeats`: those with the key of an open one.
     */
    async claim(tx: Tx) {
      const keys = [...new Set(requests.flatMap(({ key }) => key ?? []))];
      const claims = new Map((await claimKeys(tx, environmentId, keys)).map((claim) => [claim.key, claim]));
      const known: [R, KeyedResponse | Failure][] = [];
      const repeats: [R, R][] = [];
      const open = new Map<string | R, R>();
      for (const request of requests) {
        const claim = request.key === null ? null : claims.get(request.key)!;
        const response = claim && knownResponse(claim, fingerprintFor(request));
        const first = open.get(request.key ?? request);
        if (response instanceof Failure) known.push([request, response]);
        else if (response)
          known.push([request, { ...response, body: response.body && openResponse(secrets, response.body) }]);
        else if (first) repeats.push([request, first]);
        else open.set(request.key ?? request, request);
      }
      return { known, open: [...open.values()], repeats };
    },
    /** False when another request has stored a response under one of the keys. */
    async store(on: Db, responses: (readonly [R, KeyedResponse])[]): Promise<boolean> {
      const rows = responses.flatMap(([request, { status, body, isTransient }]) => {
        if (request.key === null || isTransient) return [];
        const stored = body && sealResponse(secrets, body);
        return { key: request.key, fingerprint: fingerprintFor(request), status, body: stored };
      });
      return (await storeAnswers(on, environmentId, rows)) === rows.length;
    },
    /** The response to a request with the key of another one of this transaction. */
    repeat(request: R, first: R, { status, body, isTransient }: KeyedResponse): KeyedResponse | Failure {
      const stored = isTransient ? null : { fingerprint: fingerprintFor(first), status, body };
      return knownResponse({ isLocked: false, stored }, fingerprintFor(request)) ?? inProgress();
    },
  };
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

/** The response to a request whose key is in use or has a stored response; null when the request holds the key now. */
function knownResponse(
  { isLocked, stored }: Pick<KeyClaim, "isLocked" | "stored">,
  fingerprint: Buffer,
): KeyedResponse | Failure | null {
  if (!stored) return isLocked ? null : inProgress();
  if (!stored.fingerprint.equals(fingerprint)) {
    const errors = { "idempotency-key": { messages: ["idempotency-key was used with another request"] } };
    return failure("IDEMPOTENCY_KEY_REUSED", {}, { errors });
  }
  return { status: stored.status, body: stored.body, isReplay: true };
}
