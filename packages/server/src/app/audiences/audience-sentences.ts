// What a change of an audience means, in sentences. Pure.
import { conditionText } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { changedMembers } from "../brand/brand-sentences.ts";

type Both = { before: JsonObject | null; after: JsonObject | null };

export function describeAudience({ before, after }: Both): string[] {
  if (!after) return ["The audience is deleted"];
  if (!before) return [`New audience: ${conditionText(after.rule)}`];
  return changedMembers(before, after).map((field) => {
    switch (field.field) {
      case "name":
        return `The name becomes “${field.after}”, was “${field.before}”`;
      case "rule":
        return `It has other people: ${conditionText(field.after)}; before: ${conditionText(field.before)}`;
      default:
        return "The description changes";
    }
  });
}
