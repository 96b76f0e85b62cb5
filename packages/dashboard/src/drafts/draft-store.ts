// Unsaved work in the browser's storage: it survives a reload, a crash and a closed window. One place for each
// environment, record and person, since several people may use one browser.
import { isSame } from "../kit/is-same.ts";

export type StoredDraft<T> = {
  /** The version that the changes were made on, and its content. */
  baseVersion: string | undefined;
  base: T;
  draft: T;
  at: string;
};

/** `recordId`: of a workflow its id, of others with the kind before it. */
export type DraftPlace = { environmentId: string; recordId: string; personId: string };

const prefix = "tidings.draft.1.";
const keyOf = ({ environmentId, recordId, personId }: DraftPlace): string =>
  `${prefix}${environmentId}.${personId}.${recordId}`;

/** Drafts that were not opened for so long are deleted; the storage of a browser is small. */
const keptMs = 90 * 86_400_000;

/** Removes old drafts, of every environment and person, and those that cannot be read. */
export function dropOldDrafts(now: number): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
    for (const key of keys.filter((one) => one.startsWith(prefix))) {
      if (!(now - timeOf(localStorage.getItem(key)) < keptMs)) localStorage.removeItem(key);
    }
  } catch {}
}

/** NaN for what is not a draft. */
function timeOf(text: string | null): number {
  try {
    return Date.parse((JSON.parse(text ?? "null") as StoredDraft<unknown> | null)?.at ?? "");
  } catch {
    return Number.NaN;
  }
}

/** Storage may be forbidden, full, or hold something else, which `isDraft` detects: the editor works without it. */
export function readDraft<T>(place: DraftPlace, isDraft: (found: T | undefined) => boolean): StoredDraft<T> | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(place)) ?? "null") as StoredDraft<T> | null;
    const isWhole = stored !== null && isDraft(stored.draft) && isDraft(stored.base);
    return isWhole && !isSame(stored.draft, stored.base) ? stored : null;
  } catch {
    return null;
  }
}

/** false: the browser refused, and the person should know that only Save keeps the work. */
export function writeDraft<T>(place: DraftPlace, stored: StoredDraft<T>): boolean {
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
