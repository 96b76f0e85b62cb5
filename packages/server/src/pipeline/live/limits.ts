// How many live connections this process takes: in all, of one environment, of one subscriber, and from one address for
// sessions that no one vouches for. Without shares, visitors of a development environment, for whom any name is a
// subscriber, could take all connections, those of production included.
import { failure } from "../../failure.ts";
import type { InboxSession } from "../../lib/tokens/inbox-token.ts";

/** A session with what its limits depend on. `network`: where the client comes from. */
export type LiveSession = InboxSession & { caller: { environmentType: "dev" | "prod" }; network: string };

/** The share of the connections that one environment may have. */
const shares = { dev: 0.25, prod: 0.5 };

/** Connections of sessions without a hash from one IPv4 address or IPv6 network. */
export const anonymousPerNetwork = 100;

export type ConnectionLimits = {
  /** Returns the function that gives the place back. Fails when there is none. */
  take(session: LiveSession): () => void;
};

export function createConnectionLimits({
  connections,
  perSubscriber,
}: {
  connections: number;
  perSubscriber: number;
}): ConnectionLimits {
  const counts = new Map<string, number>();
  let total = 0;
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const add = (name: string, step: number) => {
    const count = countOf(name) + step;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  };
  return {
    take({ environmentId, subscriberId, isAnonymous, caller, network }) {
      if (total >= connections) throw tooBusy(`This process has ${connections} live connections, the most it may have`);
      const share = Math.max(1, Math.floor(connections * shares[caller.environmentType]));
      const names = { environment: `e ${environmentId}`, subscriber: `s ${subscriberId}`, network: `n ${network}` };
      if (countOf(names.environment) >= share)
        throw tooBusy(`The environment has ${share} live connections to this process, the most it may have`);
      if (countOf(names.subscriber) >= perSubscriber) throw tooMany(perSubscriber);
      if (isAnonymous && countOf(names.network) >= anonymousPerNetwork) {
        const message = `This address has ${anonymousPerNetwork} live connections of sessions without a hash, the most allowed`;
        throw tooMany(anonymousPerNetwork, message);
      }
      const taken = [names.environment, names.subscriber, ...(isAnonymous ? [names.network] : [])];
      total++;
      for (const name of taken) add(name, 1);
      return () => {
        total--;
        for (const name of taken) add(name, -1);
      };
    },
  };
}

/** New connections per second. */
const admissionsPerSecond = 1_000;
const maxAdmissionMs = 15_000;

/** Waits for a turn, so that thousands of clients that reconnect at once leave time for requests. */
export function createTurns(): () => Promise<void> {
  let admittedAt = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, admittedAt);
    if (at - now > maxAdmissionMs) throw tooBusy("Too many clients are connecting");
    admittedAt = at + 1_000 / admissionsPerSecond;
    // Waits below the resolution of a timer are left out.
    if (at - now >= 2) await new Promise((resolve) => setTimeout(resolve, at - now));
  };
}

/** With a random wait, so that refused clients do not come back all at once. */
export const tooBusy = (message: string) =>
  failure("UNAVAILABLE", {}, { message, headers: { "retry-after": String(1 + Math.floor(Math.random() * 10)) } });

const tooMany = (limit: number, message?: string) =>
  failure("LIVE_CONNECTION_LIMIT", { limit: String(limit) }, { message });
