// How an integration is, as badges: in use, off, paused after errors, or not used yet.
import type { Integration } from "@tidings/contract";
import { Badge } from "../../kit/verdict.tsx";
import { conditionOf, conditionTones, countMessages } from "./outage.ts";
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
      {waiting > 0 && <Badge tone="warn">{words.outage.badge(countMessages(channel, waiting))}</Badge>}
    </>
  );
}
