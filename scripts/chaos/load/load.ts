// The load of the chaos run: environments with people and workflows, clients, live inboxes, open dashboards, and fake
// providers.
import type { ChaosLoad, PrepareLoad } from "../parts.ts";
import { startBroadcasts } from "./broadcasts.ts";
import { createCaller, pause } from "./caller.ts";
import { createClients } from "./clients.ts";
import { startDashboards } from "./dashboards.ts";
import { drain } from "./drain.ts";
import { collectFinals } from "./finals.ts";
import { closeConnections } from "./http.ts";
import { type Inboxes, openInboxes } from "./inboxes.ts";
import { startMailServer } from "./mail-server.ts";
import { createSamples } from "./samples.ts";
import { startSmsGateway } from "./sms-gateway.ts";
import { createSqlClients, startSqlClient } from "./sql.ts";
import { createEnvironments, describeWorld } from "./world.ts";

/** For requests without a response when the load has ended. */
const lastRepeatsMs = 60_000;
const openMs = 60_000;

export const prepareLoad: PrepareLoad = async (stage, evidence, options): Promise<ChaosLoad> => {
  const { seed, pace } = options;
  const { urls } = stage;
  const smtp = await startMailServer(evidence, seed);
  const sms = await startSmsGateway(evidence, seed);
  const environments = await createEnvironments(stage, { smtp: smtp.port, sms: sms.port }, options);
  const caller = createCaller({ urls, evidence, seed });
  const samples = createSamples(seed);
  const clients = createClients({ environments, caller, samples, seed, pace });
  const sqlClients = await createSqlClients(stage, environments);
  const inboxes = await openInboxes(urls, environments, evidence);
  await waitForInboxes(inboxes);
  const started: { stop(): void | Promise<void> }[] = [clients];
  const stopAll = () => Promise.all(started.splice(0).map((one) => one.stop()));
  let left: Record<string, number> | null = null;
  return {
    described: describeWorld(environments),
    start() {
      clients.start();
      started.push(startDashboards({ urls, environments, caller, seed }));
      started.push(startBroadcasts({ environments, caller, clients, pace }));
      for (const one of sqlClients) started.push(startSqlClient(one, { stage, evidence, clients, seed, pace }));
    },
    setMood: (provider, mood) => (provider === "smtp" ? smtp : sms).moods.set(mood),
    figures: () => ({ ...clients.figures(), ...caller.figures(), inboxes: inboxes.figures().open, ...left }),
    async stop() {
      caller.giveUpAt(performance.now() + lastRepeatsMs);
      await stopAll();
      await caller.settle();
    },
    async drain(drainMs) {
      const result = await drain(stage, environments, drainMs);
      left = result.left;
      return result.isDrained;
    },
    collectFinals: () => collectFinals({ urls, environments, evidence, sampled: samples.all() }),
    async close() {
      await stopAll();
      inboxes.close();
      await Promise.all([smtp.close(), sms.close()]);
      closeConnections();
    },
  };
};

async function waitForInboxes(inboxes: Inboxes): Promise<void> {
  const deadline = performance.now() + openMs;
  while (!inboxes.areReady()) {
    if (performance.now() > deadline) throw new Error("not all live inboxes were opened");
    await pause(100);
  }
}
