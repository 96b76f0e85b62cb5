export const words = {
  title: "Workflows",
  lead: "The steps that an event goes through for each recipient.",
  none: "No workflows yet",
  noneText: "Create one over the API; it appears here at once.",
  name: "Name",
  id: "Identifier",
  updated: "Updated",
} as const;
