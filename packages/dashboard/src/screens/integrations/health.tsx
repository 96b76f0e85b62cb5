// How an integration is, as badges: in use, off, paused after errors, or not used yet.
import type { Integration } from "@tidings/contract";
import { conditionOf, conditionTones, countMessages } from "../../health/outage.ts";
import { words as healthWords } from "../../health/words.ts";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { words } from "./words.ts";

export function StateBadges({ integration, isCapture }: { integration: Integration; isCapture: boolean }) {
  const { primary, channel, health } = integration;
  const condition = conditionOf(integration);
  const waiting = health?.waiting ?? 0;
  return (
    <>
      {primary && <Badge tone="accent">{words.primary}</Badge>}
      {isCapture && <Badge tone="info">{words.capture}</Badge>}
      {condition !== "closed" && condition !== "unused" && (
        <Badge tone={conditionTones[condition]}>{words.health[condition]}</Badge>
      )}
      {waiting > 0 && <Badge tone="warn">{healthWords.outage.badge(countMessages(channel, waiting))}</Badge>}
    </>
  );
}
