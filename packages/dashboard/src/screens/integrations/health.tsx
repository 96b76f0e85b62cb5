// How an integration is: in use, off, or only probed because it kept failing.
import type { Integration } from "@tidings/contract";
import type { Tone } from "../../kit/tone.ts";
import { Badge } from "../../kit/verdict.tsx";
import { words } from "./words.ts";

export type Health = NonNullable<Integration["health"]>;

export const healthTones: Record<Health["state"], Tone> = { closed: "good", open: "bad", half_open: "warn" };

export function StateBadges({ integration, isCapture }: { integration: Integration; isCapture: boolean }) {
  const { active, primary, health } = integration;
  return (
    <>
      {primary && <Badge tone="accent">{words.primary}</Badge>}
      {isCapture && <Badge tone="info">{words.capture}</Badge>}
      {!active && <Badge>{words.off}</Badge>}
      {active && health && health.state !== "closed" && (
        <Badge tone={healthTones[health.state]}>{words.health[health.state]}</Badge>
      )}
    </>
  );
}
