// What a change does to a message: in words, in colours, and in the order of weight.
import type { BacktestEffect, BacktestVersion } from "@tidings/contract";
import type { Tone } from "../kit/tone.ts";

export const effectNames: Readonly<Record<BacktestEffect, string>> = {
  removed: "Not sent",
  render_failed: "Fails to render",
  added: "New",
  digested: "Other digest",
  channel: "Other channel",
  provider: "Other integration",
  later: "Later",
  earlier: "Earlier",
  content: "Other content",
};

export const effectTones: Readonly<Record<BacktestEffect, Tone>> = {
  removed: "bad",
  render_failed: "bad",
  added: "info",
  digested: "quiet",
  channel: "accent",
  provider: "quiet",
  later: "warn",
  earlier: "info",
  content: "accent",
};

const order = Object.keys(effectNames) as readonly BacktestEffect[];

export const effectOf = (text: string | undefined): BacktestEffect | undefined => order.find((one) => one === text);

/** Those with a message, the weightiest first. */
export const effectsOf = (counts: Readonly<Record<string, number>>): [effect: BacktestEffect, count: number][] =>
  order.flatMap((effect): [BacktestEffect, number][] => {
    const count = counts[effect] ?? 0;
    return count > 0 ? [[effect, count]] : [];
  });

type Outcome = BacktestVersion["outcome"];

export const outcomeTones: Readonly<Record<Outcome, Tone>> = {
  sent: "good",
  failed: "bad",
  not_sent: "quiet",
  waiting: "info",
  merged: "quiet",
};
