// What the address of this screen carries.
import type { Channel } from "@tidings/contract";
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";
import { channels } from "../../outcomes/channel-names.ts";

export const statisticsRanges = ["24h", "7d", "30d"] as const;
export type StatisticsRange = (typeof statisticsRanges)[number];

export type StatisticsSearch = { range?: StatisticsRange; channel?: Channel; workflow?: string; provider?: string };

export const readStatisticsSearch = ({ range, channel, workflow, provider }: RawSearch): StatisticsSearch =>
  present({
    range: choiceParam(range, statisticsRanges),
    channel: choiceParam(channel, channels),
    workflow: textParam(workflow),
    provider: textParam(provider),
  });
