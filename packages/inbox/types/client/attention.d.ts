// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Inbox } from "./create-inbox.js";
import type { AttentionLimit, Channel, ChannelAttention } from "./types.js";
export type AttentionChange = Partial<Record<Channel, AttentionLimit | null>>;
/**
 * The channels with a budget of the environment, and what the subscriber chose. With `channels`, changes their limits
 * first: a limit has to be lower than those of the environment, and null removes one.
 */
export declare const requestAttention: (inbox: Inbox, channels?: AttentionChange) => Promise<ChannelAttention[]>;
