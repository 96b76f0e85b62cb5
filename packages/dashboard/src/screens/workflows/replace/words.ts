// Words of search and replace.
type Sum = { workflows: number; layouts: number };

const countOf = (count: number, one: string): string[] =>
  count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${one}s`];
const sumOf = ({ workflows, layouts }: Sum): string =>
  [...countOf(workflows, "workflow"), ...countOf(layouts, "layout")].join(" and ");

export const words = {
  open: "Find and replace",
  title: "Find and replace",
  text: "In workflows (name, description, content and conditions of steps), layouts, and the texts of all languages. Every chosen workflow gets a new version, which can be restored; layouts and texts have no versions.",
  search: "Find",
  replacement: "Replace with",
  caseSensitive: "Match case",
  none: "No workflow or layout contains this text.",
  hits: "Where it was found",
  settings: "Workflow",
  layout: "Layout",
  isLayout: "(layout)",
  textsIn: (locale: string) => `Texts in ${locale}`,
  more: (count: number) => (count === 1 ? "and 1 more place" : `and ${count.toLocaleString()} more places`),
  action: (count: number, sum: Sum) => (count === 0 ? "Replace" : `Replace ${count.toLocaleString()} in ${sumOf(sum)}`),
  running: "Replacing …",
  done: (sum: Sum) => `Replaced in ${sumOf(sum)}`,
  failed: "Not changed:",
} as const;
