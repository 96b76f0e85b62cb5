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
  /** The mail of a broadcast can be unsubscribed from even if its workflow became critical. */
  isBroadcast?: true | undefined;
};

/** After the ids; no context begins with it. */
const broadcastMark = "!";

const purpose = "unsubscribe";

export function signUnsubscribeToken(secrets: Secrets, target: UnsubscribeTarget): string {
  const { environmentId, subscriberId, workflowId, contextKey = "", isBroadcast } = target;
  const ids = [environmentId, subscriberId, workflowId].map(idToBase62).join("");
  return secrets.sign(purpose, `${ids}${isBroadcast ? broadcastMark : ""}${contextKey}`);
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
  const isBroadcast = text.startsWith(broadcastMark, 66);
  const contextKey = text.slice(isBroadcast ? 67 : 66);
  return {
    environmentId,
    subscriberId,
    workflowId,
    ...(contextKey !== "" && { contextKey }),
    ...(isBroadcast && { isBroadcast }),
  };
}
