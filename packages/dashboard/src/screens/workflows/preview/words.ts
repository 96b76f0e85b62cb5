// Words of the preview, and of the subscriber and payload pickers, which the simulator shares.
import type { SmsLength } from "./sms-length.ts";

export const words = {
  title: "Preview",
  subscriber: "Subscriber",
  sampleSubscriber: "A sample subscriber",
  context: "Context",
  noContext: "None",
  payload: "Payload",
  payloadLabel: "Payload as JSON",
  badPayload: (place: string) => `Invalid JSON${place && ` (${place})`}`,
  recent: "From a recent event",
  example: "Example payload",
  empty: "Empty payload",
  language: "Language",
  ownLanguage: "That of the subscriber",
  noValues: "The payload is empty. Values that the step uses are offered here.",
  asJson: "Edit as JSON",
  asFields: "Edit as fields",
  missing: (names: readonly string[]) =>
    names.length === 1
      ? `The sample payload has no value for ${names[0]}.`
      : `The sample payload has no values for ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}.`,
  fillIn: "Add sample values",
  hidePayload: "Hide payload",
  showPayload: "Edit payload",
  noSubject: "No subject",
  as: "Shown as",
  mail: {
    row: "As a mailbox lists it",
    to: (name: string) => `To ${name}`,
    toSample: "To a sample subscriber",
    views: { desktop: "Desktop", phone: "Phone", text: "Text", source: "Source" },
    dark: "Dark",
    noImages: "No images",
    noDark: "This email has no dark colours: mail programs show it light, or invert it themselves.",
    noText: "The email has no text part.",
  },
  sms: ({ characters, segments, isUnicode }: SmsLength) =>
    `${characters} ${characters === 1 ? "character" : "characters"}, ${segments} ${segments === 1 ? "segment" : "segments"}${isUnicode ? " (other alphabet: 70 per segment)" : ""}`,
  digestedEvents: "Events in the digest",
  checks: "Checks",
  severities: { error: "Error", warning: "Warning", info: "Note" },
  old: "The preview shows the last version without errors.",
  noContent: "Nothing to show yet: the step has no content.",
  faulty: "Fix the error to update the preview.",
  noPreview: "This step sends nothing. The simulator shows how it affects the steps after it.",
  faults: "Errors",
  place: (line: number, column: number | undefined) =>
    column === undefined ? `line ${line}` : `line ${line}, column ${column}`,
  unread: "now",
} as const;
