// Open dashboards, which read lists and figures every few seconds, and people who read their inbox.
import { createRandom } from "@tidings/testkit/load/random";
import type { Caller } from "./caller.ts";
import type { LoadEnvironment } from "./world.ts";

const reads = [
  "/v1/activity/events?limit=20",
  "/v1/notifications?limit=10",
  "/v1/statistics",
  "/v1/system",
  "/v1/integrations",
  "/v1/dead-letters?status=open",
];

const readEveryMs = 4_000;
const readMs = 8_000;
/** A person marks everything as read. Messages of other people stay unread. */
const markEveryMs = 3_000;

type Tools = { urls: string[]; environments: LoadEnvironment[]; caller: Caller; seed: number };

export function startDashboards({ urls, environments, caller, seed }: Tools): { stop(): void } {
  const timers: NodeJS.Timeout[] = [];
  for (const environment of environments) {
    const random = createRandom(seed, `dashboard ${environment.name}`);
    let turn = 0;
    let isReading = false;
    const read = async () => {
      if (isReading) return;
      isReading = true;
      const path = reads[turn++ % reads.length]!;
      const url = random.pick(urls);
      await caller.attempt({ environment, client: "dashboard", operation: "dashboard", url, path, timeoutMs: readMs });
      isReading = false;
    };
    const markAsRead = () => {
      const subscriberId = random.pick(environment.people).subscriberId;
      void caller.call({
        ...{ environment, client: `reader-${subscriberId}`, operation: "read", method: "POST", body: {} },
        path: `/v2/subscribers/${subscriberId}/notifications/read`,
        target: { subscriberId },
      });
    };
    timers.push(setInterval(read, readEveryMs), setInterval(markAsRead, markEveryMs));
  }
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
