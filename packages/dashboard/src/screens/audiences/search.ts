// What the addresses of these screens carry.
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

type AudiencesSearch = { q?: string; after?: string; before?: string };

export const readAudiencesSearch = ({ q, after, before }: RawSearch): AudiencesSearch =>
  present({ q: textParam(q), after: textParam(after, 400), before: textParam(before, 400) });

const tabs = ["rule", "people"] as const;
export type AudienceTab = (typeof tabs)[number];

/** `who`: the subscriber whose membership is explained. */
type AudienceSearch = { tab?: AudienceTab; who?: string };

export const readAudienceSearch = ({ tab, who }: RawSearch): AudienceSearch =>
  present({ tab: choiceParam(tab, tabs), who: textParam(who) });
