// Which messages were read in this browser. Only a convenience: storage may be forbidden, and old marks are dropped.
import { useSyncExternalStore } from "react";

const storageKey = "tidings.mailbox.read";
const most = 1_000;

let marks: ReadonlySet<string> = new Set(readStored());
const listeners = new Set<() => void>();

function readStored(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function markRead(id: string): void {
  if (marks.has(id)) return;
  marks = new Set([...marks, id].slice(-most));
  try {
    localStorage.setItem(storageKey, JSON.stringify([...marks]));
  } catch {}
  for (const listener of listeners) listener();
}

export const useReadMarks = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    () => marks,
  );
