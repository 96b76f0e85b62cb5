// Events as the list shows them. Pure.
import type { Channel } from "@tidings/contract";
import type { Outcome } from "./filters.ts";

export type ActivityRow = {
  id: string;
  transactionId: string;
  workflowName: string;
  time: string;
  outcome: Outcome;
  /** One sentence. */
  verdict: string;
  channels: Channel[];
  /** What people call it: "Order 4711". */
  label?: string;
  /** Of an event for one person. */
  person?: { subscriberId: string; name: string };
  people: number;
  isCapped: boolean;
};

export type ActivityPage = {
  rows: ActivityRow[];
  next: string | null;
  /** One request looks at a limited number of events: how far back it came, when it did not fill its page. */
  scannedTo?: string;
  /** The newest event that it looked at. */
  scannedFrom?: string;
};

/** The time in an id, which is real time whatever a test clock says. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** `invoice.number` and 17 as "Invoice number 17". */
export function labelOf({ key, value }: { key: string; value: string }): string {
  const name = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[._-]+/g, " ")
    .toLowerCase();
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${value}`;
}
