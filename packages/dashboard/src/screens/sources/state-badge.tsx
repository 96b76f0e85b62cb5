// How a source is, in a word.
import type { Source, SourceState } from "@tidings/contract";
import { Badge } from "../../kit/feedback/verdict.tsx";
import type { Tone } from "../../kit/tone.ts";
import { words } from "./words.ts";

const tones: Record<SourceState, Tone> = { healthy: "good", failing: "bad", paused: "warn", idle: "quiet" };

export const StateBadge = ({ source: { state } }: { source: Source }) => (
  <Badge tone={tones[state]}>{words.states[state]}</Badge>
);
