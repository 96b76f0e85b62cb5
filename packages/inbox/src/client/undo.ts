// What can be undone: the offer to undo the last change, and deletions, which wait until that time is over.
import type { Store } from "./store.ts";
import type { InboxState, Undoable } from "./types.ts";

export function createUndo(store: Store<InboxState>, undoMs: number) {
  /** By notification: sends the deletion now, or not at all. */
  const waiting = new Map<string, (isWanted: boolean) => void>();
  let forgetting: ReturnType<typeof setTimeout> | undefined;

  return {
    offer: (undoable: Undoable | null) => {
      clearTimeout(forgetting);
      store.set({ undoable });
      if (undoable) forgetting = setTimeout(() => store.set({ undoable: null }), undoMs);
    },
    /** Resolves when the time to undo a deletion is over, or when it was undone: whether it is still wanted. */
    wait: (id: string): Promise<boolean> =>
      new Promise((resolve) => {
        const settle = (isWanted: boolean) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(isWanted);
        };
        const timer = setTimeout(() => waiting.get(id)?.(true), undoMs);
        waiting.set(id, settle);
      }),
    cancel: (id: string) => waiting.get(id)?.(false),
    /** Sends the deletions that wait: the page is about to end. */
    flush: () => {
      for (const settle of [...waiting.values()]) settle(true);
      clearTimeout(forgetting);
    },
  };
}
