export const words = {
  title: "People",
  lead: "The subscribers of this environment.",
  none: "No subscribers yet",
  noneText: "An event creates the subscribers that it names.",
  id: "Subscriber id",
  name: "Name",
  email: "Email",
} as const;
