// Requests that read, at a steady rate, through the same door as the load.
import type { World } from "./world.ts";

const everyMs = 250;
const limitMs = 20_000;

export function startReads({ urls, apiKey, subscribers }: Pick<World, "urls" | "apiKey" | "subscribers">) {
  const failures = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let count = 0;
  const read = async () => {
    const subscriberId = subscribers[count % subscribers.length]!;
    count++;
    const result = await fetch(`${urls[0]}/v1/subscribers/${subscriberId}/notifications/feed`, {
      headers: { authorization: `ApiKey ${apiKey}` },
      signal: AbortSignal.timeout(limitMs),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status === 200 ? null : `${response.status} of a read`;
      },
      (error: Error) => `${error.name} of a read`,
    );
    if (result) failures.set(result, (failures.get(result) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    const reading = read();
    open.add(reading);
    void reading.finally(() => open.delete(reading));
  }, everyMs);
  return {
    failures,
    count: () => count,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
