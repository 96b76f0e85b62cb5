// What the address of this screen carries.
import type { Channel } from "@tidings/contract";
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

/** Channels that are captured; in-app messages are in the inbox of the subscriber. */
export const capturedChannels = ["email", "sms", "chat", "push"] as const satisfies Channel[];
export type CapturedChannel = (typeof capturedChannels)[number];

const views = ["preview", "text", "links", "headers", "source"] as const;
export type View = (typeof views)[number];

export type MailboxSearch = {
  channel?: CapturedChannel;
  q?: string;
  /** The message that is read. */
  id?: string;
  view?: View;
  after?: string;
  before?: string;
};

export const readMailboxSearch = ({ channel, q, id, view, after, before }: RawSearch): MailboxSearch =>
  present({
    channel: choiceParam(channel, capturedChannels),
    q: textParam(q),
    id: textParam(id),
    view: choiceParam(view, views),
    after: textParam(after),
    before: textParam(before),
  });
