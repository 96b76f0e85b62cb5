// What a loop needs of its source: the outbox, the connection to its database, and its announcements.
import type { NetworkCtx } from "../../context.ts";
import { type Listener, listen } from "../../store/queue/listen.ts";
import { connectionOf, openSource, readAddress, type SourceConnection } from "../../store/sources/connection.ts";
import { localOutbox, outboxChannel, remoteOutbox } from "../../store/sources/outbox.ts";
import type { ActiveSource } from "../../store/sources/sources.batch.ts";
import type { DrainedSource } from "./drain.ts";

export type OpenedSource = DrainedSource & { close(): Promise<void> };

/** `localUrl`: the service's own database, past a pooler. `wake`: called when rows may have come. */
export async function openForLoop(
  ctx: NetworkCtx,
  source: ActiveSource,
  { localUrl, wake }: { localUrl: string; wake: () => void },
): Promise<OpenedSource> {
  const { id: sourceId, environment_id: environmentId, environment_type: environmentType } = source;
  const place = { environmentId, environmentType, sourceId };
  const onError = (error: Error) => ctx.log.debug({ source: sourceId, reason: error.message }, "a connection was lost");
  const hear = (text?: string) => {
    if (!text || text === environmentId) wake();
  };
  const listenTo = (connection: { url: string; stream?: SourceConnection["stream"] }): Promise<Listener> =>
    listen({ ...connection, onNotify: { [outboxChannel]: hear }, onError, name: "tidings-relay-listen" });
  if (source.connection === null) {
    const listener = await listenTo({ url: localUrl });
    return { place, outbox: localOutbox(environmentId), remote: null, close: () => listener.close() };
  }
  const url = ctx.secrets.decrypt(source.connection);
  const { address } = await ctx.resolveHost(readAddress(url)!.host);
  const connection = connectionOf(url, address);
  const remote = openSource(connection, onError);
  const listener = await listenTo(connection);
  const close = () => Promise.all([remote.destroy(), listener.close()]).then(() => {});
  return { place, outbox: remoteOutbox(source.outbox_schema), remote, close };
}
