// What the addresses of these screens carry.
import type { BroadcastStatus } from "@tidings/contract";
import { choiceParam, pageParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

const statuses = [
  "draft",
  "awaiting_approval",
  "scheduled",
  "running",
  "paused",
  "completed",
  "stopped",
  "failed",
] as const satisfies readonly BroadcastStatus[];

/** `new`: the dialog of a new one is open; `to`: with this audience. */
type BroadcastsSearch = { state?: BroadcastStatus; page?: number; new?: boolean; to?: string };

export const readBroadcastsSearch = ({ state, page, new: isNew, to }: RawSearch): BroadcastsSearch =>
  present({
    state: choiceParam(state, statuses),
    page: pageParam(page),
    new: String(isNew) === "true" ? true : undefined,
    to: textParam(to),
  });

const tabs = ["draft", "preview"] as const;
type DraftTab = (typeof tabs)[number];

/** `outcome`: whose people are listed; the screen knows which there are. */
type BroadcastSearch = { tab?: DraftTab; outcome?: string };

export const readBroadcastSearch = ({ tab, outcome }: RawSearch): BroadcastSearch =>
  present({ tab: choiceParam(tab, tabs), outcome: textParam(outcome) });
