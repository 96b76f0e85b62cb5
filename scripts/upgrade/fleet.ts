// The processes of an installation behind a load balancer, replaced one after the other: the next one is ready before
// the one before it is stopped.
import { progress } from "@tidings/testkit/load/progress";
import { launchService, type Running, type Settings } from "@tidings/testkit/programs/service";
import type { Balancer } from "@tidings/testkit/proxies/balancer";
import type { Build } from "./builds.ts";

/** Two that do both, and a worker. */
const roles = ["api,worker", "api,worker", "worker"] as const;

type Member = { running: Running; role: string; build: Build };

export type Fleet = {
  /** Replaces every process. `onEach` is called when two programs share the database. */
  replaceBy(build: Build, onEach: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

/** Longer than the balancer takes to notice that a process is not ready. */
const shutdownDelay = { TIDINGS_SHUTDOWN_DELAY: "5" };

export async function startFleet(build: Build, settings: Settings, balancer: Balancer): Promise<Fleet> {
  const members: Member[] = [];
  const launch = async (role: string, from: Build): Promise<Member> => {
    const own = { ...settings, TIDINGS_ROLE: role, ...(from.canDrain && shutdownDelay) };
    const running = await launchService(own, from.root);
    if (role !== "worker") await balancer.add(running.url);
    return { running, role, build: from };
  };
  const end = async ({ running, role, build: from }: Member) => {
    const isBalanced = role !== "worker";
    // What an operator does with a program that stops as soon as it gets the signal.
    if (isBalanced && !from.canDrain) await balancer.retire(running.url);
    await running.end("SIGTERM");
    if (isBalanced) balancer.remove(running.url);
  };
  for (const role of roles) members.push(await launch(role, build));
  return {
    async replaceBy(next, onEach) {
      for (const [at, before] of members.entries()) {
        const begun = performance.now();
        members[at] = await launch(before.role, next);
        await onEach();
        await end(before);
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        progress(`${before.role} ${at + 1} of ${members.length}: ${before.build.name} → ${next.name}, ${seconds} s`);
      }
    },
    async stop() {
      for (const member of members) await end(member);
    },
  };
}
