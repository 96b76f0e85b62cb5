// The token of an inbox session: one subscriber of one environment, until a time. It is signed with the encryption key
// of the installation and names the API key under which it was issued; it ends with that key (http/inbox-auth.ts).
import { base62ToId, idToBase62 } from "../ids.ts";
import type { Secrets } from "../secrets.ts";

/** Internal ids: the token of a deleted subscriber does not apply to a new one with the same `subscriberId`. */
export type InboxSession = {
  environmentId: string;
  subscriberId: string;
  keyId: string;
  expiresAt: Date;
  /** The session sees only messages with exactly these contexts; absent: all messages. */
  contextKeys?: string[];
  /** Neither a hash nor an API key has vouched for the subscriber. */
  isAnonymous?: true;
};

const anonymousMark = "a";

const purpose = "inbox";

export function signInboxToken(secrets: Secrets, session: InboxSession): string {
  const { environmentId, subscriberId, keyId, expiresAt, contextKeys, isAnonymous } = session;
  const ids = [environmentId, subscriberId, keyId].map(idToBase62).join("");
  // Keys have neither commas nor spaces.
  const contexts = contextKeys ? ` ${contextKeys.join(",")}` : "";
  const mark = isAnonymous ? anonymousMark : "";
  return secrets.sign(purpose, `${ids}${Math.floor(expiresAt.getTime() / 1000)}${mark}${contexts}`);
}

/** Null when the signature is not valid or the time is over. */
export function readInboxToken(secrets: Secrets, token: string, now: Date): InboxSession | null {
  const text = secrets.readSigned(purpose, token);
  if (text === null) return null;
  const [environmentId, subscriberId, keyId] = [0, 22, 44].map((from) => base62ToId(text.slice(from, from + 22)));
  const [end = "", contexts] = text.slice(66).split(" ");
  const isAnonymous = end.endsWith(anonymousMark);
  const expiresAt = new Date(Number(isAnonymous ? end.slice(0, -1) : end) * 1000);
  if (!environmentId || !subscriberId || !keyId || !(expiresAt > now)) return null;
  const ids = { environmentId, subscriberId, keyId, expiresAt };
  const session: InboxSession = isAnonymous ? { ...ids, isAnonymous } : ids;
  return contexts === undefined ? session : { ...session, contextKeys: contexts.split(",") };
}
