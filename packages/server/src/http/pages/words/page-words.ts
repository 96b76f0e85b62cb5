// The words that each language of the preference page has.
import type { Channel, DigestFrequency, WindowUnit } from "@tidings/contract";

/** Texts in braces are filled in. */
export type PageWords = {
  title: string;
  forPerson: string;
  receives: string;
  receivesNot: string;
  unsubscribe: string;
  choices: string;
  precedence: string;
  everything: string;
  unlessSet: string;
  other: string;
  nothing: string;
  onlyFirst: string;
  save: string;
  saved: string;
  unchanged: string;
  required: string;
  stopAll: string;
  stopAllText: string;
  stoppedAll: string;
  unsubscribed: string;
  unsubscribedText: string;
  unsubscribedThese: string;
  undo: string;
  undone: string;
  viewAll: string;
  fixed: string;
  fixedText: string;
  badLink: string;
  badLinkText: string;
  gone: string;
  goneText: string;
  frequency: string;
  /** `usual`: as the workflow decides. */
  frequencies: Record<DigestFrequency | "usual", string>;
  limit: string;
  limitText: string;
  /** `none`: as many as there are. The number comes without a noun, so that no language needs plural forms. */
  limits: Record<WindowUnit | "none", string>;
  channels: Record<Channel, string>;
};
