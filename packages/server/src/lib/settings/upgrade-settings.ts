// The settings of upgrades, a part of the table in settings.ts.
import { integer, onOff } from "./setting-parsers.ts";

export const upgradeSettings = {
  TIDINGS_MIGRATE: {
    about:
      "`on` migrates the database at the start. `off` waits until `tidings migrate` has done so, for `TIDINGS_DATABASE_WAIT` " +
      "seconds (docs/rolling-upgrades.md).",
    fallback: "on",
    parse: onOff,
  },
  TIDINGS_SHUTDOWN_DELAY: {
    about:
      "Seconds between the signal to stop and the end of service. `/ready` returns 503 from the signal on, and requests are " +
      "served, so that a load balancer has the time to leave the process out (docs/rolling-upgrades.md).",
    fallback: "0",
    parse: integer(0, 300),
  },
} as const;
