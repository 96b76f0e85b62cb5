// What a job says about a message that was retracted.
import type { RetractedState } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import { type DetailName, detail } from "../rules/details.ts";

/** Steps that were canceled or had failed say so already. */
const names: Record<RetractedState, DetailName | null> = {
  canceled: null,
  not_sent: null,
  taking_back: null,
  in_flight: "taken_back_in_flight",
  removed: "taken_back_removed",
  replaced: "taken_back_replaced",
  deleted: "taken_back_deleted",
  edited: "taken_back_edited",
  removal_sent: "taken_back_removal_sent",
  corrected: "taken_back_corrected",
  cannot_unsend: "taken_back_cannot_unsend",
  failed: "taken_back_failed",
  superseded: "superseded",
};

export function retractedDetail(state: RetractedState, reason: string | null, at: Date): StoredDetail | null {
  const name = names[state];
  return name && detail(name, at, reason === null ? {} : { raw: { reason } });
}

export const retractReason = "the event was retracted";
export const uncertainReason = "the outcome of its call is not known: it may have been sent";
export const partOfDigest = "it is part of a digest that was sent";
export const supersedeReason = "a later event with the same key replaced it";

/** Why a message of this channel stays where it is. */
export function whyItStays(channel: string): string {
  if (channel === "email") return "an email that was sent stays sent";
  if (channel === "sms") return "a text message that was sent stays sent";
  return "the provider offers no way to change or delete the message";
}
