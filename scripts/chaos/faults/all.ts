// All faults by their kind.
import type { FaultKind } from "../../auditor/evidence.ts";
import { clockBack, clockForward } from "./clock.ts";
import { failover, killBackend, killDatabase, restartDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { cutNetwork, refuseNetwork, slowNetwork } from "./network.ts";
import { killProcess, stopProcess, stopThread } from "./processes.ts";
import { providerFails, providerHangs, providerLosesAnswers } from "./providers.ts";
import { connections, diskFull, lockTables } from "./resources.ts";
import { upgrade } from "./upgrade.ts";

export const faults: Record<FaultKind, Fault> = {
  "kill-process": killProcess,
  "stop-process": stopProcess,
  "stop-thread": stopThread,
  "kill-database": killDatabase,
  "restart-database": restartDatabase,
  "kill-backend": killBackend,
  failover,
  "cut-network": cutNetwork,
  "refuse-network": refuseNetwork,
  "slow-network": slowNetwork,
  "disk-full": diskFull,
  "clock-back": clockBack,
  "clock-forward": clockForward,
  connections,
  "lock-tables": lockTables,
  upgrade,
  "provider-fails": providerFails,
  "provider-hangs": providerHangs,
  "provider-loses-answers": providerLosesAnswers,
};
