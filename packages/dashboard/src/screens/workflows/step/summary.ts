// One line about a step, for the outline and the canvas. Pure.
import type { DraftStep } from "../editor/model.ts";
import { words } from "./words.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const amountOf = ({ amount, unit }: DraftStep["controlValues"]): string =>
  amount === undefined ? "" : `${amount} ${amount === 1 ? String(unit ?? "").replace(/s$/, "") : (unit ?? "")}`;

export function summarizeStep({ type, controlValues: values }: DraftStep): string {
  const time =
    values.type === "timed"
      ? textOf(values.cron)
      : values.type === "dynamic"
        ? textOf(values.dynamicKey)
        : amountOf(values);
  switch (type) {
    case "delay":
    case "digest":
      return time === "" ? words.noTime : time;
    case "throttle":
      return words.throttleLine(Number(values.threshold ?? 1), time);
    case "custom":
      return "";
    default: {
      const line =
        textOf(values.subject) ||
        textOf(values.body)
          .replace(/<[^<>]*>/g, " ")
          .replace(/\s+/g, " ")
          .trim();
      return line === "" ? words.noContent : line.slice(0, 120);
    }
  }
}

export const isConditional = ({ controlValues: { skip }, filters }: DraftStep): boolean =>
  filters !== undefined || (typeof skip === "object" && skip !== null && Object.keys(skip).length > 0);
