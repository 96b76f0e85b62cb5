// What execution details say about messages that an attention budget held.
import type { AttentionWindow, Channel } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { detailOf, entry } from "../rules/details.ts";
import type { Budget } from "./ledger.ts";

export const messageWords: Record<Channel, [one: string, many: string]> = {
  in_app: ["in-app message", "in-app messages"],
  email: ["email", "emails"],
  sms: ["SMS", "SMS"],
  push: ["push message", "push messages"],
  chat: ["chat message", "chat messages"],
};

export const windowText = ({ amount, unit }: AttentionWindow): string =>
  amount > 1 ? `in ${amount} ${unit}s` : unit === "hour" ? "an hour" : `a ${unit}`;

/** Such as "3 emails a day". */
function budgetText(channel: Channel, { limit, window }: Pick<Budget, "limit" | "window">): string {
  const [one, many] = messageWords[channel];
  return `${limit} ${limit === 1 ? one : many} ${windowText(window)}`;
}

/** The particulars of a message that is over a budget. */
export const overRaw = (channel: Channel, { limit, window, isOwn }: Budget): JsonObject => ({
  budget: budgetText(channel, { limit, window }),
  limit,
  window: { ...window },
  ...(isOwn && { isOwn }),
});

/** Whose budget it is. */
const ownerOf = ({ isOwn }: JsonObject, person: string): string =>
  isOwn === true ? `${person} wants at most` : "the attention budget allows";

export const attentionDetails = {
  attention_rolled_up: entry("Over the attention budget, held for a roll-up", "Success", {
    by: "budget",
    reason: (raw, { person }) => `${ownerOf(raw, person)} ${raw.budget}, so it becomes an item of a roll-up`,
  }),
  attention_delayed: entry("Over the attention budget, waits for a place", "Pending", {
    by: "budget",
    isWait: true,
    reason: (raw, { person }) => `${ownerOf(raw, person)} ${raw.budget}`,
  }),
  attention_dropped: entry("Over the attention budget, not sent", "Success", {
    by: "budget",
    reason: (raw, { person }) => `${ownerOf(raw, person)} ${raw.budget}, and what is over it is dropped`,
  }),
  roll_up_waits: entry("Roll-up waits for its time", "Pending", {
    by: "budget",
    isWait: true,
    reason: ({ at }) => `roll-ups are sent at ${at}`,
  }),
  roll_up_empty: entry("Roll-up not sent, none of its items is left", "Success", {
    by: "budget",
    reason: () => "all its items were taken back, or are no longer wanted",
  }),
  roll_up_filled: entry("Roll-up closed", "Success"),
};
export const attentionDetail = detailOf(attentionDetails);
