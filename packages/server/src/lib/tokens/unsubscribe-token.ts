// The token of an unsubscribe link: one subscriber and one workflow, and the context whose brand the mail shows. They
// are signed, so they can be read from the link but not forged. A token never expires, because mail is kept for years,
// and recipients report a sender as spam when its link no longer works.
import { base62ToId, idToBase62 } from "../ids.ts";
import type { Secrets } from "../secrets.ts";

/** Internal ids: the token of a deleted subscriber does not apply to a new one with the same `subscriberId`. */
export type UnsubscribeTarget = {
  environmentId: string;
  subscriberId: string;
  workflowId: string;
  /** `<type>:<id>`: the page shows its brand, as the mail did. */
  contextKey?: string;
};

const purpose = "unsubscribe";

export function signUnsubscribeToken(secrets: Secrets, target: UnsubscribeTarget): string {
  const { environmentId, subscriberId, workflowId, contextKey = "" } = target;
  return secrets.sign(purpose, [environmentId, subscriberId, workflowId].map(idToBase62).join("") + contextKey);
}

/** The page behind a link in a mail. Both open the same page: `preferencesUrl` opens it at the list of choices. */
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/u/${token}`;
export const preferencesUrl = (publicUrl: string, token: string): string =>
  `${unsubscribeUrl(publicUrl, token)}#${preferencesAnchor}`;

/** The id of the list of choices on the page. */
export const preferencesAnchor = "preferences";

/** Null when the signature is not valid. */
export function readUnsubscribeToken(secrets: Secrets, token: string): UnsubscribeTarget | null {
  const text = secrets.readSigned(purpose, token);
  if (text === null) return null;
  const [environmentId, subscriberId, workflowId] = [0, 22, 44].map((from) => base62ToId(text.slice(from, from + 22)));
  if (!environmentId || !subscriberId || !workflowId) return null;
  return { environmentId, subscriberId, workflowId, ...(text.length > 66 && { contextKey: text.slice(66) }) };
}
