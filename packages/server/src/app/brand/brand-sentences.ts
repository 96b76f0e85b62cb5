// What a change of the brand or of a category means for those who notice it, in sentences. Pure.
import type { ChangedField, PreferenceChannels } from "@tidings/contract";
import { canonicalJson, type JsonObject } from "../../lib/json.ts";

type Both = { before: JsonObject | null; after: JsonObject | null };

/** The members that differ. */
export function changedMembers(before: JsonObject, after: JsonObject): ChangedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((change) => canonicalJson(change.before) !== canonicalJson(change.after));
}

const brandWords: Record<string, string> = {
  name: "the name",
  logoUrl: "the logo",
  logoDarkUrl: "the logo for dark mode",
  colors: "colours",
  fontStack: "the font",
  cornerRadius: "corners",
  address: "the address",
  socialLinks: "social links",
  pageTexts: "texts of the pages",
};

export function describeBrand({ before, after }: Both): string[] {
  if (!after) return ["The brand is removed: messages, pages and inboxes have the default look"];
  if (!before) return ["The brand is set: messages, pages and inboxes show it"];
  const names = changedMembers(before, after).map(({ field }) => brandWords[field] ?? field);
  return [`Messages, pages and inboxes look different: ${names.join(", ")}`];
}

/** `choices`: of how many subscribers a deletion deletes the choices; absent where that is not known. */
export function describeCategory({ before, after }: Both, choices?: number): string[] {
  if (!after) return [choices === undefined ? "The category is deleted" : describeLostChoices("The category", choices)];
  if (!before) return ["The category is added as the last one"];
  return changedMembers(before, after).map(describeMember);
}

export function describeLostChoices(what: string, choices: number): string {
  if (choices === 0) return `${what} is deleted; no subscriber has made a choice for it`;
  const whose = choices === 1 ? "1 subscriber" : `${choices} subscribers`;
  return `${what} is deleted, and with it the choices that ${whose} made for it`;
}

function describeMember({ field, before, after }: ChangedField): string {
  switch (field) {
    case "name":
      return `The name becomes “${after}”, was “${before}”`;
    case "required":
      return after === true ? "Subscribers can no longer switch it off" : "Subscribers can switch it off";
    case "channels":
      return `The defaults become: ${describeChannels((after ?? {}) as PreferenceChannels)}`;
    default:
      return "The description changes";
  }
}

const describeChannels = (channels: PreferenceChannels): string =>
  Object.entries(channels)
    .map(([channel, isOn]) => `${channel} ${isOn ? "on" : "off"}`)
    .join(", ") || "those of each workflow";
