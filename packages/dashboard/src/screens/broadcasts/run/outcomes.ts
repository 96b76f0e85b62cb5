// The outcomes of people, in the order of a message's way.
import type { BroadcastOutcome } from "@tidings/contract";
import { words } from "./words.ts";

export const outcomes = Object.keys(words.outcomes) as BroadcastOutcome[];

export const outcomeOf = (text: string | undefined): BroadcastOutcome | undefined =>
  outcomes.find((outcome) => outcome === text);
