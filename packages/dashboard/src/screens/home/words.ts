export const words = {
  title: "Home",
  start: "See what happens to your events",
  startText: "Activity lists every event with its outcome in one sentence, and explains each step of each person.",
  open: "Open activity",
} as const;
