// How MessageBird proves that a status report is its own: a JSON Web Token in the header messagebird-signature-jwt,
// signed with the signing key of the account. It covers the whole address that was called, the query with the report in
// it included, so that the service has to know how it is reached from outside (TIDINGS_PUBLIC_URL).
// https://developers.messagebird.com/api/#verifying-http-requests

import { createHash, createHmac } from "node:crypto";
import { type InboundRequest, sameText, verifyDefault } from "../kit/receipts.ts";
import { textAt } from "../kit/reply.ts";

const algorithms = new Map([
  ["HS256", "sha256"],
  ["HS384", "sha384"],
  ["HS512", "sha512"],
]);

/** A token is good for a minute; clocks may differ by this much. */
const skewMs = 30_000;

/** An account without a signing key signs nothing: the key is then the password of basic authentication. */
export function verifyMessagebird(request: InboundRequest, key: string, now: Date): boolean {
  const token = request.headers["messagebird-signature-jwt"];
  if (token === undefined) return verifyDefault(request, key, now);
  const claims = claimsOf(token, key);
  if (claims === undefined || request.url === undefined) return false;
  const body = request.method === "GET" ? "" : request.raw;
  return (
    textAt(claims, "iss") === "MessageBird" &&
    isInTime(claims, now) &&
    textAt(claims, "url_hash") === sha256(request.url) &&
    (textAt(claims, "payload_hash") ?? sha256("")) === sha256(body)
  );
}

/** What the token says, once its signature is right. */
function claimsOf(token: string, key: string): unknown {
  const [head = "", body = "", mac = "", ...more] = token.split(".");
  const algorithm = algorithms.get(textAt(decoded(head), "alg") ?? "");
  if (!algorithm || more.length > 0) return undefined;
  const expected = createHmac(algorithm, key).update(`${head}.${body}`).digest("base64url");
  return sameText(mac, expected) ? decoded(body) : undefined;
}

const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

function isInTime(claims: unknown, now: Date): boolean {
  const at = (name: string): number => Number(textAt(claims, name)) * 1000;
  return now.getTime() >= at("nbf") - skewMs && now.getTime() <= at("exp") + skewMs;
}

const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
