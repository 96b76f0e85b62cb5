// The loops of this process, one for each active source: started, stopped and restarted as sources change.
import type { NetworkCtx } from "../../context.ts";
import { type ActiveSource, listActiveSources } from "../../store/sources/sources.batch.ts";
import { createLocalEar } from "./local-ear.ts";
import { type SourceLoop, startLoop } from "./loop.ts";

/** For changes whose announcement was missed. */
const lookMs = 30_000;

export type Relays = {
  /** Reads the sources again. */
  look(): void;
  stop(): Promise<void>;
};

/** What a loop depends on: another value needs another loop. */
const settingsOf = ({ connection, outbox_schema, environment_type }: ActiveSource): string =>
  JSON.stringify([connection, outbox_schema, environment_type]);

/** `localUrl`: the service's own database, past a pooler. */
export function startRelays(ctx: NetworkCtx, localUrl: string): Relays {
  const loops = new Map<string, { loop: SourceLoop; settings: string }>();
  const ear = createLocalEar(ctx, localUrl);
  let isStopped = false;
  let looking: Promise<void> = Promise.resolve();

  const compare = async (): Promise<void> => {
    if (isStopped) return;
    const sources = new Map((await listActiveSources(ctx.db)).map((row) => [row.id, row]));
    const isOutdated = (id: string, settings: string) => {
      const row = sources.get(id);
      return !row || settingsOf(row) !== settings;
    };
    const ended = [...loops].filter(([id, { settings }]) => isOutdated(id, settings));
    for (const [id] of ended) loops.delete(id);
    await Promise.all(ended.map(([, { loop }]) => loop.stop()));
    if (isStopped) return;
    for (const [id, row] of sources) {
      const running = loops.get(id);
      if (running) running.loop.note(row);
      else loops.set(id, { loop: startLoop(ctx, row, ear), settings: settingsOf(row) });
    }
  };
  const look = () => {
    looking = looking
      .then(compare)
      .catch((error: Error) => ctx.log.warn({ reason: error.message }, "sources could not be read"));
  };
  const timer = setInterval(look, lookMs).unref();
  look();
  return {
    look,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all([...loops.values()].map(({ loop }) => loop.stop()));
      await ear.close();
    },
  };
}
