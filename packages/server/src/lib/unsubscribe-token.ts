// What the link in a mail stands for: one subscriber and one workflow. The ids can be read by anybody who has the link and
// made up by nobody: they are signed, for this purpose alone. It never expires, because mail is kept for years and a
// link that no longer unsubscribes is a reason to report the sender instead.
import { base62ToId, idToBase62 } from "./ids.ts";
import type { Secrets } from "./secrets.ts";

/** Internal ids: a subscriber that was deleted and created anew under the same name is somebody else. */
export type UnsubscribeTarget = { environmentId: string; subscriberId: string; workflowId: string };

const purpose = "unsubscribe";

export const signUnsubscribe = (secrets: Secrets, { environmentId, subscriberId, workflowId }: UnsubscribeTarget) =>
  secrets.sign(purpose, [environmentId, subscriberId, workflowId].map(idToBase62).join(""));

/** Null when the token is not ours. */
export function readUnsubscribe(secrets: Secrets, token: string): UnsubscribeTarget | null {
  const text = secrets.readSigned(purpose, token);
  if (text === null) return null;
  const [environmentId, subscriberId, workflowId] = [0, 22, 44].map((from) => base62ToId(text.slice(from, from + 22)));
  return environmentId && subscriberId && workflowId ? { environmentId, subscriberId, workflowId } : null;
}
