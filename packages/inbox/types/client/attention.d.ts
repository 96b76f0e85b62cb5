// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Inbox } from "./create-inbox.js";
import type { AttentionLimit, Channel, ChannelAttention } from "./types.js";
export type AttentionChange = Partial<Record<Channel, AttentionLimit | null>>;
/** What the subscriber chose, by channel. With `channels`, changes their limits first; null removes one. */
export declare const requestAttention: (inbox: Inbox, channels?: AttentionChange) => Promise<ChannelAttention[]>;
