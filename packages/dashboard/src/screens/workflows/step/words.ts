// Words of the forms of steps and of their conditions.
export const words = {
  more: "More settings",
  hasMore: (count: number) => `More settings (${count} set)`,
  stepSettings: "Advanced",
  copied: (text: string) => `${text} was copied`,
  name: "Name",
  stepId: "Identifier",
  stepIdHint: "Templates and conditions of later steps read its result as",
  badStepId: "Letters and digits, joined by - _ or .",
  stepIdTaken: "Another step has this identifier.",
  oldUses: (stepId: string, places: readonly string[]) =>
    `steps.${stepId} is still used in ${places.join(", ")}, where it is empty now.`,
  renameUses: (count: number, stepId: string) =>
    `Change ${count === 1 ? "it" : `all ${count}`} to steps.${stepId}`,
  active: "This step is active",
  stopOnFail: "If it fails, cancel the following steps",
  deadline: "Expires after (seconds)",
  deadlineHint: "Leave empty for the server default",
  contentSection: "Content",
  timingSection: "Timing",
  variables: (count: number) => `Variables (${count})`,
  variablesHint: "Click to copy.",
  condition: {
    title: "Condition",
    none: "Runs for every recipient who has not turned the channel off.",
    noneWait: "Runs for every event.",
    classic: (count: number) => `Classic conditions (${count}), from an import. These must all be true as well.`,
    classicRemove: "Remove classic conditions",
  },
} as const;
