// The cursor of what waits: behind an entry, or behind a whole moment.
import { timelineWaits } from "@tidings/contract";
import { isUuid } from "../../lib/ids.ts";
import type { WaitKey } from "../../store/environments/timeline.ts";

export type WaitCursor = WaitKey | { moment: Date };

export function encodeWaitCursor(cursor: WaitCursor): string {
  const entry = "kind" in cursor ? [cursor.kind, cursor.versionId, cursor.stepIndex] : [];
  return Buffer.from(JSON.stringify([cursor.moment.toISOString(), ...entry])).toString("base64url");
}

const latest = Date.parse("9999-12-31T00:00:00Z");

/**
 * Null when the text is not a cursor from encodeWaitCursor: the database would refuse some values with an error.
 */
export function decodeWaitCursor(text: string): WaitCursor | null {
  try {
    const [time, word, versionId, stepIndex] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as unknown[];
    const moment = new Date(String(time));
    if (!(moment.getTime() >= 0 && moment.getTime() < latest)) return null;
    const kind = timelineWaits.find((known) => known === word);
    const isEntry = kind && typeof versionId === "string" && isUuid(versionId) && isSmall(stepIndex);
    const cursor = isEntry ? { moment, kind, versionId, stepIndex: Number(stepIndex) } : { moment };
    // Decoding ignores stray characters and members; a valid cursor is equal to its own encoding.
    return encodeWaitCursor(cursor) === text ? cursor : null;
  } catch {
    return null;
  }
}

const isSmall = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) < 1_000;
