export const words = {
  title: "Steps",
  titleOf: (name: string) => `Steps of ${name}`,
  list: "Broadcasts",
  saved: "Steps saved",
  saveTitle: "Save the steps?",
  saveAction: "Save",
  readOnly: "These steps cannot be changed: the broadcast is not a draft, or your role does not allow it.",
} as const;
