// What the addresses of these screens carry.
import { present, type RawSearch, textParam } from "../../kit/search-params.ts";

/** `audience`: the id of the audience whose people are shown. */
type SubscribersSearch = { q?: string; audience?: string; after?: string; before?: string };

export const readSubscribersSearch = ({ q, audience, after, before }: RawSearch): SubscribersSearch =>
  present({
    q: textParam(q, 400),
    audience: textParam(audience),
    after: textParam(after, 400),
    before: textParam(before, 400),
  });

type SubscriberSearch = { tab?: string; transaction?: string };

export const readSubscriberSearch = ({ tab, transaction }: RawSearch): SubscriberSearch =>
  present({ tab: textParam(tab), transaction: textParam(transaction, 400) });
