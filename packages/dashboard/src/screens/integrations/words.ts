export const words = {
  title: "Integrations",
  lead: "The providers that deliver the messages of this environment.",
  none: "No integrations yet",
  noneText: "Add one over the API; it appears here at once.",
  name: "Name",
  provider: "Provider",
  channel: "Channel",
  state: "State",
  active: "Active",
  inactive: "Inactive",
} as const;
