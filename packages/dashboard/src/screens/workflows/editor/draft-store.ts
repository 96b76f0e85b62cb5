// Unsaved work in the browser's storage: it survives a reload, a crash and a closed window. One place for each environment,
// workflow and person, since several people may use one browser.
import { type Draft, isSame } from "./model.ts";

export type StoredDraft = {
  /** The version that the changes were made on, and its content. */
  baseVersion: string | undefined;
  base: Draft;
  draft: Draft;
  at: string;
};

export type DraftPlace = { environmentId: string; workflowId: string; personId: string };

const prefix = "tidings.draft.1.";
const keyOf = ({ environmentId, workflowId, personId }: DraftPlace): string =>
  `${prefix}${environmentId}.${personId}.${workflowId}`;

/** Storage may be forbidden, full, or hold something else: the editor works without. */
export function readDraft(place: DraftPlace): StoredDraft | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(place)) ?? "null") as StoredDraft | null;
    const isWhole = Array.isArray(stored?.draft?.steps) && Array.isArray(stored.base?.steps);
    return isWhole && !isSame(stored.draft, stored.base) ? stored : null;
  } catch {
    return null;
  }
}

/** false: the browser refused, and the person should know that only Save keeps the work. */
export function writeDraft(place: DraftPlace, stored: StoredDraft): boolean {
  try {
    localStorage.setItem(keyOf(place), JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(place: DraftPlace): void {
  try {
    localStorage.removeItem(keyOf(place));
  } catch {}
}
