// What the addresses of these screens carry.
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

const tabs = ["topics", "contexts", "suppressions", "imports"] as const;
export type TopicsTabName = (typeof tabs)[number];

export type TopicsSearch = {
  tab?: TopicsTabName;
  q?: string;
  after?: string;
  before?: string;
  channel?: "email" | "sms";
  reason?: "bounce" | "complaint" | "manual";
};

export type TopicSearch = { q?: string; after?: string; before?: string };

export const readTopicSearch = ({ q, after, before }: RawSearch): TopicSearch =>
  present({ q: textParam(q, 400), after: textParam(after, 400), before: textParam(before, 400) });

export const readTopicsSearch = (search: RawSearch): TopicsSearch =>
  present({
    tab: choiceParam(search.tab, tabs),
    ...readTopicSearch(search),
    channel: choiceParam(search.channel, ["email", "sms"]),
    reason: choiceParam(search.reason, ["bounce", "complaint", "manual"]),
  });
