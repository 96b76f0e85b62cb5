// The words of taking an event back.
import type { RetractedState } from "@tidings/contract";

const people = (count: number, isMore = false): string =>
  count === 1 ? "1 person" : `${count.toLocaleString()}${isMore ? "+" : ""} people`;

export const words = {
  action: "Take back",
  title: "Take this event back",
  lead: (count: number, isMore: boolean) => `It went to ${people(count, isMore)}. This cannot be undone.`,
  production: "This is production: messages of real people change.",
  preview: "What can be taken back",
  nothing: "Nothing was sent, and nothing waits.",
  reason: "Reason",
  reasonHint: "For your colleagues. Recipients do not see it.",
  withCorrection: "Send a correction",
  correctionText:
    "It replaces messages in inboxes, chats and devices where that is possible. Through other channels it is sent as a separate message.",
  subject: "Subject",
  subjectHint: "For email, push and in-app messages",
  body: "Text",
  bodyHint: "Plain text with variables such as {{ subscriber.firstName }} and {{ payload }}",
  submit: "Take back",

  running: (handled: number, count: number) => `${handled.toLocaleString()} of ${people(count)}`,
  runningText: "You can close this: the work continues.",
  done: (count: number) => `Taken back for ${people(count)}`,
  progress: "Progress",
  results: "Outcome of the messages",
  noResults: "There were no messages to take back.",
  close: "Close",
  because: (reason: string, who: string) => `“${reason}” – ${who}`,

  isTakenBack: "This event was taken back.",
  why: (reason: string) => `“${reason}”`,
  isTakingBack: "This event is being taken back.",
  show: "Show result",
  showProgress: "Show progress",

  /** Before it is done. The number of messages comes first, and may be one. */
  expected: {
    canceled: "will be canceled before sending",
    removed: "will be removed from the inbox",
    replaced: "will be replaced by the correction",
    deleted: "will be deleted",
    edited: "will be changed to the correction",
    removal_sent: "will be removed by the device, if it can be reached",
    corrected: "cannot be unsent; the correction will be sent as well",
    cannot_unsend: "cannot be unsent",
    not_sent: "never sent",
    failed: "could not be taken back",
    superseded: "replaced by a later event",
    in_flight: "on the way to the provider: may still arrive",
    taking_back: "being taken back",
  } satisfies Record<RetractedState, string>,
  became: {
    canceled: "canceled before sending",
    removed: "removed from the inbox",
    replaced: "replaced by the correction",
    deleted: "deleted",
    edited: "changed to the correction",
    removal_sent: "removed by the device, if it can be reached",
    corrected: "could not be unsent; the correction was sent",
    cannot_unsend: "could not be unsent",
    not_sent: "never sent",
    failed: "could not be taken back: the provider refused",
    superseded: "replaced by a later event",
    in_flight: "on the way to the provider: may still arrive",
    taking_back: "being taken back",
  } satisfies Record<RetractedState, string>,
};
