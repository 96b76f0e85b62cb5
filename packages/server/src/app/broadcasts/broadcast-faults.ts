// What keeps a draft from being sent, in sentences that name the field.
import { broadcastLimits } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { startOf } from "../../pipeline/broadcasts/schedule.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import { findActiveChannels, resolveContent } from "./broadcast-content.ts";

export type DraftFault = { field: string; text: string };

const dayMs = 86_400_000;
/** The last time zone reaches a local time this long after the first. */
const lastZoneMs = 26 * 3_600_000;

export async function findDraftFaults(ctx: Ctx, caller: Caller, row: BroadcastRow, now: Date): Promise<DraftFault[]> {
  const faults: DraftFault[] = [];
  const content = await resolveContent(ctx, caller, row);
  if ("fault" in content) faults.push({ field: content.field, text: content.fault });
  else {
    const active = await findActiveChannels(ctx, caller.environmentId, content.channels);
    if (content.channels.length > 0 && active.length === 0) {
      const text = `no integration is active for ${content.channels.join(", ")}`;
      faults.push({ field: "content", text });
    }
  }
  const { include, everyone = false } = row.audience;
  if (include.length === 0 && !everyone) {
    faults.push({ field: "audience", text: "it has no audience: choose at least one, or everyone" });
  }
  return [...faults, ...timeFaults(row, now)];
}

function timeFaults({ time, expires_at: expiresAt }: BroadcastRow, now: Date): DraftFault[] {
  const faults: DraftFault[] = [];
  const start = startOf(time, now);
  if (time.kind === "at" && Date.parse(time.at!) < now.getTime() - 60_000) {
    faults.push({ field: "time.at", text: "its time has passed" });
  }
  if (
    time.kind === "local" &&
    Date.parse(`${time.date}T${time.localTime}:00.000Z`) + lastZoneMs - 12 * 3_600_000 < now.getTime()
  ) {
    faults.push({ field: "time.date", text: "its local time has passed in every time zone" });
  }
  if (start.getTime() - now.getTime() > broadcastLimits.days * dayMs) {
    faults.push({ field: "time", text: `it starts more than ${broadcastLimits.days} days from now` });
  }
  if (expiresAt && expiresAt <= start) faults.push({ field: "expiresAt", text: "it expires before it starts" });
  return faults;
}
