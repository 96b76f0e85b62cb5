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
  /** What users call it: "Order 4711". */
  label?: string;
  /** Set for an event with a single subscriber. */
  subscriber?: { subscriberId: string; name: string };
  recipients: number;
  isCapped: boolean;
};

export type ActivityPage = {
  rows: ActivityRow[];
  next: string | null;
  /** One request examines a limited number of events: how far back it came, when it did not fill its page. */
  scannedTo?: string;
  /** The newest event that it scanned. */
  scannedFrom?: string;
};

/** The time in an id, which is real time whatever a test clock says. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
