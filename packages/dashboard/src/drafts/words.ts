// The words of drafts, whatever record they are of.
export const words = {
  undo: "Undo (Ctrl Z)",
  redo: "Redo (Ctrl Shift Z)",
  leave: {
    title: "Leave with unsaved changes?",
    text: "They are kept in this browser and restored when you return to this page.",
    stay: "Stay",
    discard: "Discard them",
    leave: "Leave",
    saveAndLeave: "Save and leave",
  },
  changes: {
    same: "No differences.",
    moved: (from: number, to: number) => `from position ${from} to ${to}`,
    kinds: { added: "added", removed: "removed", moved: "moved", changed: "changed" },
    signs: { same: " ", added: "+", removed: "−", gap: " " },
    lineKinds: { added: "added:", removed: "removed:", gap: "lines omitted" },
  },
} as const;
