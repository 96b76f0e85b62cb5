// What the address of the catalogue carries.
import type { Channel } from "@tidings/contract";
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";
import { channels } from "../../outcomes/channel-names.ts";

type CatalogueSearch = { q?: string; channel?: Channel };

export const readCatalogueSearch = ({ q, channel }: RawSearch): CatalogueSearch =>
  present({ q: textParam(q, 100), channel: choiceParam(channel, channels) });
