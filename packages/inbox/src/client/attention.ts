// How many messages the subscriber wants at most, by channel. A function and no method of the client, so that only
// those who use it load it.
import type { Inbox } from "./create-inbox.ts";
import type { AttentionLimit, Channel, ChannelAttention } from "./types.ts";
import type { AttentionList } from "./wire.ts";

export type AttentionChange = Partial<Record<Channel, AttentionLimit | null>>;

/** What the subscriber chose, by channel. With `channels`, changes their limits first; null removes one. */
export const requestAttention = async (inbox: Inbox, channels?: AttentionChange): Promise<ChannelAttention[]> =>
  (await inbox.request<AttentionList>("/attention", channels && { method: "PATCH", body: { channels } })).data;
