// What a throttle allows: how many runs, and until when a window that opens now would last.
import { readWait, type WaitFault, type WaitRequest } from "./waits.ts";

export type ThrottleSettings = { threshold: number; until: Date };

const defaultThreshold = 1;

export function readThrottle(request: WaitRequest): ThrottleSettings | WaitFault {
  const { type = "fixed", threshold = defaultThreshold } = request.values;
  if (type !== "fixed" && type !== "dynamic") {
    return { fault: "invalid", reason: "type must be one of: fixed, dynamic" };
  }
  if (typeof threshold !== "number" || !Number.isInteger(threshold) || threshold < 1) {
    return { fault: "invalid", reason: "threshold must be a whole number of at least 1" };
  }
  const window = readWait({ ...request, values: { ...request.values, type } });
  return "fault" in window ? window : { threshold, until: window.until };
}
