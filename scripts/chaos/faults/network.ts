// Faults of the network between processes of the service and PostgreSQL.
import type { LinkState } from "@tidings/testkit/proxies/link";
import { type Fault, type FaultContext, membersOf } from "./fault.ts";

async function change(context: FaultContext, state: LinkState): Promise<() => Promise<void>> {
  const members = membersOf(context);
  const set = async (to: LinkState) => void (await Promise.all(members.map((member) => member.setNetwork(to))));
  await set(state);
  return () => set({ kind: "open" });
}

export const cutNetwork: Fault = {
  about: "no packet reaches PostgreSQL or comes back, without a sign; connections stay",
  begin: async (context) => ({ end: await change(context, { kind: "stall" }) }),
};

export const refuseNetwork: Fault = {
  about: "connections to PostgreSQL are closed, and new ones refused",
  begin: async (context) => ({ end: await change(context, { kind: "refuse" }) }),
};

export const slowNetwork: Fault = {
  about: "packets to and from PostgreSQL take 100 to 800 ms, and the bandwidth is small",
  async begin(context) {
    const least = context.random.integer(100, 300);
    const most = context.random.integer(least, 800);
    const bytesPerSecond = context.random.pick([32, 128, 512]) * 1024;
    const end = await change(context, { kind: "slow", delayMs: [least, most], bytesPerSecond });
    return { end, detail: () => `${least} to ${most} ms, ${bytesPerSecond / 1024} KB/s for each direction` };
  },
};
