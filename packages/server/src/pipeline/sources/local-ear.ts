// Announcements of the outbox that the local sources share: one connection for all of them, however many environments
// have one, opened when the first needs it.
import type { Ctx } from "../../context.ts";
import { type Listener, listen } from "../../store/queue/listen.ts";
import { outboxChannel } from "../../store/sources/outbox.ts";

export type LocalEar = {
  /** Calls `wake` when rows of the environment may have come, until the returned function is called. */
  hear(environmentId: string, wake: () => void): () => void;
  close(): Promise<void>;
};

/** `url`: the service's own database, past a pooler. */
export function createLocalEar(ctx: Ctx, url: string): LocalEar {
  const wakes = new Map<string, () => void>();
  let listening: Promise<Listener | null> | null = null;
  const hear = (environmentId?: string) => {
    // Without a text, announcements may have been missed.
    if (environmentId) wakes.get(environmentId)?.();
    else for (const wake of wakes.values()) wake();
  };
  const onError = (error: Error) => ctx.log.debug({ reason: error.message }, "a connection was lost");
  return {
    hear(environmentId, wake) {
      wakes.set(environmentId, wake);
      listening ??= listen({ url, onNotify: { [outboxChannel]: hear }, onError, name: "tidings-relay-listen" }).catch(
        (error: Error) => {
          onError(error);
          return null;
        },
      );
      return () => {
        if (wakes.get(environmentId) === wake) wakes.delete(environmentId);
      };
    },
    close: async () => (await listening)?.close(),
  };
}
