// What each kind of failure is, in the words of the report.
import type { FaultKind } from "../../auditor/evidence.ts";
import { escapeText } from "./markdown.ts";

const faultKinds: Record<FaultKind, string> = {
  "kill-process": "A process of the service is killed (SIGKILL) and started again.",
  "stop-process": "A process of the service is frozen (SIGSTOP) and later continues.",
  "stop-thread": "A single thread of a process is frozen, and the others continue.",
  "kill-database": "All processes of PostgreSQL are killed at once, and it recovers from its log.",
  "restart-database": "PostgreSQL is stopped and started again.",
  "kill-backend":
    "A server process of PostgreSQL is killed; PostgreSQL closes all connections and recovers from its log.",
  failover: "The primary is killed and its synchronous standby is promoted.",
  "cut-network": "No packet passes between the service and the database, without a sign to either.",
  "refuse-network": "Connections to the database are closed, and new ones are refused.",
  "slow-network": "Every packet between the service and the database is delayed.",
  "disk-full": "The disk of the database is full.",
  "clock-back": "The clock of one process is behind.",
  "clock-forward": "The clock of one process is ahead.",
  connections: "Other clients occupy the connections of the database.",
  "lock-tables": "Another session holds an exclusive lock on tables of the service.",
  upgrade: "The processes are replaced one after the other, from one version to another.",
  "provider-fails": "A provider refuses every message.",
  "provider-hangs": "A provider accepts connections and says nothing.",
  "provider-loses-answers": "A provider accepts messages, and its response is lost.",
};

/** A kind that a later version of the evidence knows gets its name as its description. */
export const describeKind = (kind: FaultKind): string => faultKinds[kind] ?? `${escapeText(kind, 60)}.`;

/** Known names are code, and others foreign texts. */
export const nameKind = (kind: string): string => (kind in faultKinds ? `\`${kind}\`` : escapeText(kind, 60));

export const allKinds = Object.keys(faultKinds) as FaultKind[];
