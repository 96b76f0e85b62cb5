// Undo and redo of an editor. Typing in one field is one step back, not one for every letter. Pure.

export type History<T> = {
  past: readonly T[];
  present: T;
  future: readonly T[];
  /** The field of the last change, and when: a change of the same field soon after belongs to it. */
  last: { field: string; at: number } | null;
};

const most = 200;
const togetherMs = 1_500;

export type HistoryAction<T> =
  | { kind: "change"; draft: T; field?: string; at: number }
  | { kind: "undo" }
  | { kind: "redo" }
  /** Another starting point: loaded, saved or restored; nothing before it can be undone. */
  | { kind: "start"; draft: T }
  /** What the service made of a saved draft: the way back stays. */
  | { kind: "settle"; draft: T };

export const startHistory = <T>(draft: T): History<T> => ({ past: [], present: draft, future: [], last: null });

export function changeHistory<T>(history: History<T>, action: HistoryAction<T>): History<T> {
  const { past, present, future, last } = history;
  switch (action.kind) {
    case "start":
      return startHistory(action.draft);
    case "settle":
      return { ...history, present: action.draft, last: null };
    case "undo":
      if (past.length === 0) return history;
      return { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future], last: null };
    case "redo":
      if (future.length === 0) return history;
      return { past: [...past, present], present: future[0]!, future: future.slice(1), last: null };
    case "change": {
      const { draft, field, at } = action;
      if (draft === present) return history;
      const isSameField = field !== undefined && last?.field === field && at - last.at < togetherMs;
      return {
        past: isSameField ? past : [...past, present].slice(-most),
        present: draft,
        future: [],
        last: field === undefined ? null : { field, at },
      };
    }
  }
}
