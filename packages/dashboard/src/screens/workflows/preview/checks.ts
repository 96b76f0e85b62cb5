// What the service found about the mail as a whole, in the order in which a person deals with it. Pure.
import type { Tone } from "../../../kit/tone.ts";

/** Such as a missing alternative text. Services that check nothing send none. */
export type Check = { code: string; severity: "error" | "warning" | "info"; message: string };

const order: readonly Check["severity"][] = ["error", "warning", "info"];

export const checkTones: Readonly<Record<Check["severity"], Tone>> = { error: "bad", warning: "warn", info: "info" };

/** Each sentence once, the serious ones first; what cannot be read is left out. */
export function readChecks(found: unknown): Check[] {
  if (!Array.isArray(found)) return [];
  const checks = found.filter(isCheck);
  const distinct = checks.filter(({ message }, index) => checks.findIndex((one) => one.message === message) === index);
  return distinct.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

const isCheck = (value: unknown): value is Check => {
  const { code, severity, message } = Object(value) as Partial<Check>;
  return typeof code === "string" && typeof message === "string" && order.includes(severity as Check["severity"]);
};
