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
    "It replaces messages in the inbox, in chats and on devices where that is possible. Through channels that cannot be unsent it is sent as a message of its own.",
  subject: "Subject",
  subjectHint: "Of emails, push and in-app messages",
  body: "Text",
  bodyHint: "Plain text with variables such as {{ subscriber.firstName }} and {{ payload }}",
  submit: "Take back",

  running: (handled: number, count: number) => `${handled.toLocaleString()} of ${people(count)}`,
  runningText: "You can close this: the work continues.",
  done: (count: number) => `Taken back for ${people(count)}`,
  progress: "Progress",
  results: "What became of the messages",
  noResults: "There were no messages to take back.",
  close: "Close",
  because: (reason: string, who: string) => `“${reason}” – ${who}`,

  isTakenBack: "This event was taken back.",
  isTakingBack: "This event is being taken back.",
  show: "Show result",
  showProgress: "Show progress",

  /** Before it is done: the number of messages comes first. */
  expected: {
    canceled: "will be canceled before they are sent",
    removed: "will be removed from the inbox",
    replaced: "will be replaced by the correction",
    deleted: "will be deleted",
    edited: "will be changed to the correction",
    removal_sent: "devices will be asked to remove it",
    corrected: "cannot be unsent; the correction is sent as well",
    cannot_unsend: "cannot be unsent",
    not_sent: "never arrived",
    failed: "could not be taken back",
    superseded: "were replaced by a later event",
    in_flight: "on their way to the provider: may still arrive",
    taking_back: "are being taken back",
  } satisfies Record<RetractedState, string>,
  became: {
    canceled: "canceled before they were sent",
    removed: "removed from the inbox",
    replaced: "replaced by the correction",
    deleted: "deleted",
    edited: "changed to the correction",
    removal_sent: "devices were asked to remove it",
    corrected: "could not be unsent; the correction was sent",
    cannot_unsend: "could not be unsent",
    not_sent: "never arrived",
    failed: "could not be taken back: the provider refused",
    superseded: "replaced by a later event",
    in_flight: "on their way to the provider: may still arrive",
    taking_back: "are being taken back",
  } satisfies Record<RetractedState, string>,
};
