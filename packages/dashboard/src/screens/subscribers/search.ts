// What the addresses of these screens carry.
import { present, type RawSearch, textParam } from "../../kit/search-params.ts";

type SubscribersSearch = { q?: string; after?: string; before?: string };

export const readSubscribersSearch = ({ q, after, before }: RawSearch): SubscribersSearch =>
  present({ q: textParam(q, 400), after: textParam(after, 400), before: textParam(before, 400) });

type SubscriberSearch = { tab?: string; transaction?: string };

export const readSubscriberSearch = ({ tab, transaction }: RawSearch): SubscriberSearch =>
  present({ tab: textParam(tab), transaction: textParam(transaction, 400) });
