// Words of what several people do with a workflow.
const names = (list: readonly string[]): string =>
  list.length < 2 ? (list[0] ?? "") : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;

export const words = {
  editing: (list: readonly string[]) => `${names(list)} ${list.length === 1 ? "is" : "are"} editing`,
  looking: (list: readonly string[]) => `${names(list)} ${list.length === 1 ? "has" : "have"} this open`,
  comments: {
    title: "Comments",
    count: (count: number) => `Comments (${count})`,
    add: "Comment for your team",
    addAction: "Comment",
    resolve: "Resolve",
    reopen: "Reopen",
    resolvedBy: (name: string) => `resolved by ${name}`,
    remove: "Delete comment",
  },
} as const;
