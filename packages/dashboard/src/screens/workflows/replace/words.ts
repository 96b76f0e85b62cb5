// Words of search and replace.
const workflows = (count: number) => (count === 1 ? "1 workflow" : `${count.toLocaleString()} workflows`);

export const words = {
  open: "Find and replace",
  title: "Find and replace in all workflows",
  text: "In the content and conditions of steps. Every chosen workflow gets a new version, which can be restored.",
  search: "Find",
  replacement: "Replace with",
  caseSensitive: "Match case",
  none: "No workflow contains this text.",
  hits: "Where it was found",
  action: (count: number, of: number) =>
    count === 0 ? "Replace" : `Replace ${count.toLocaleString()} in ${workflows(of)}`,
  running: "Replacing …",
  done: (count: number) => `Replaced in ${workflows(count)}`,
  failed: "Not changed:",
} as const;
