import type { TimelineWait } from "@tidings/contract";
import { waitEnds } from "../../steps/facts.gen.ts";

const plural = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${many}`;

export const words = {
  title: "Test clock",
  lead: "Everything that is waiting in this environment, on one timeline, and the latest messages.",

  states: { real: "Real time", standing: "Test clock, paused", moving: "Test clock, moving" },
  now: "Now",
  start: "Start the test clock",
  startAt: "Starts at",
  startHint: "Any time, past or future. Everything due before a future time runs on the way.",
  aboutReal:
    "The test clock pauses time in this environment until you move it. When it moves, everything that becomes due runs in " +
    "order, each at its own time: a week of delays and digests takes seconds. Only this environment is affected, and " +
    "messages go where its integrations send them.",
  production: "Production always runs in real time. The test clock is for development environments.",
  next: "Skip to next event",
  hour: "+1 hour",
  day: "+1 day",
  goTo: "Date and time",
  go: "Go to time",
  stop: "Stop the test clock",
  stopTitle: "Return to real time?",
  stopText: "Waiting items keep their due times. Anything that is already due in real time runs immediately.",
  stopped: "Back in real time",
  moving: (target: string) => `Moving to ${target}`,
  movingNote: "It stops whenever something is due, runs it, and continues.",
  waitingFor: (what: string, workflow: string) =>
    `Waiting for ${workflow}: ${what}. A provider that does not respond takes real time.`,
  progress: "Clock progress",
  moved: (span: string, messages: number) =>
    messages === 0
      ? `Advanced ${span}, no messages sent.`
      : `Advanced ${span}, ${plural(messages, "message sent", "messages sent")}.`,

  timeline: "Timeline",
  earlier: (count: number) => `Show ${plural(count, "earlier entry", "earlier entries")}`,
  nothingWaits: "Nothing is waiting",
  nothingWaitsText:
    "Trigger a workflow with a delay or a digest, or one for a subscriber in quiet hours, and it appears here.",
  later: (duration: string) => `${duration} later`,
  more: "More items are waiting after this.",
  advance: "Advance to here",
  advanceTo: (time: string) => `Advance to here, ${time}`,

  kinds: {
    ...waitEnds,
    schedule: "Schedule opens",
    budget: "A place in the attention budget",
    roll_up: "Roll-up",
    retry: "Next attempt",
    snooze: "Snooze ends",
  } satisfies Record<TimelineWait["kind"], string>,
  subscribers: (count: number) => plural(count, "subscriber", "subscribers"),
  events: (count: number) => plural(count, "event", "events"),
  andMore: (count: number) => `and ${count.toLocaleString()} more`,
  gone: "a deleted subscriber",
  outcomes: { sent: "Sent", sending: "Sending", failed: "Not sent" },
  noTitle: "(no content)",
} as const;
