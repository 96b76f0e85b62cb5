import { defineStep, type FieldSpec, rawHtml, summarizeContent, text, title, units } from "./kit.ts";

const targets = {
  _self: "The same tab",
  _blank: "A new tab",
  _parent: "The parent frame",
  _top: "The whole window",
  _unfencedTop: "The whole window, out of a fenced frame",
};

const link = (path: string, label: string): FieldSpec[] => [
  { path: `${path}.url`, label, kind: "line", isMore: true },
  {
    path: `${path}.target`,
    label: "Opens in",
    kind: "choice",
    choices: targets,
    fallback: "_self",
    isMore: true,
    isBeside: true,
  },
];

const button = (path: string, label: string): FieldSpec[] => [
  { path: `${path}.label`, label: `${label}: label`, kind: "line", isMore: true },
  ...link(`${path}.redirect`, `${label}: link`),
];

export default defineStep({
  icon: "bell",
  fields: [
    title,
    { ...text, label: "Body" },
    { path: "avatar", label: "Avatar URL", kind: "line", isMore: true },
    ...link("redirect", "Notification link"),
    ...button("primaryAction", "First button"),
    ...button("secondaryAction", "Second button"),
    { path: "data", label: "Data for your own inbox", kind: "json", isMore: true },
    {
      path: "expiresAt",
      label: "Disappears at",
      hint: "A time such as 2026-12-31T18:00:00Z, or a variable that holds one. Leave empty to keep the message.",
      kind: "line",
      isMore: true,
    },
    {
      path: "expiresIn.amount",
      label: "Disappears after",
      hint: "Counted from sending. Leave empty to keep the message.",
      kind: "amount",
      isMore: true,
    },
    { path: "expiresIn.unit", label: "Unit", kind: "choice", choices: units, isMore: true, isBeside: true },
    rawHtml,
  ],
  summary: summarizeContent,
});
