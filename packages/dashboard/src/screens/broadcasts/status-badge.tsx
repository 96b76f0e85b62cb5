// The status of a broadcast in a word and a colour.
import type { BroadcastStatus } from "@tidings/contract";
import { Badge } from "../../kit/feedback/verdict.tsx";
import type { Tone } from "../../kit/tone.ts";
import { words } from "./words.ts";

const tones: Record<BroadcastStatus, Tone> = {
  draft: "quiet",
  awaiting_approval: "warn",
  scheduled: "info",
  running: "accent",
  paused: "warn",
  completed: "good",
  stopped: "quiet",
  failed: "bad",
};

export const StatusBadge = ({ status }: { status: BroadcastStatus }) => (
  <Badge tone={tones[status]}>{words.statuses[status]}</Badge>
);
