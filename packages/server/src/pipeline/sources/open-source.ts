// What a loop needs of its source: the outbox, the connection to its database, and its announcements.
import type { NetworkCtx } from "../../context.ts";
import { listen } from "../../store/queue/listen.ts";
import { connectionOf, openSource, readAddress } from "../../store/sources/connection.ts";
import { localOutbox, outboxChannel, remoteOutbox } from "../../store/sources/outbox.ts";
import type { ActiveSource } from "../../store/sources/sources.batch.ts";
import type { DrainedSource } from "./drain.ts";
import type { LocalEar } from "./local-ear.ts";

export type OpenedSource = DrainedSource & { close(): Promise<void> };

/** `wake`: called when rows may have come. */
export async function openForLoop(
  ctx: NetworkCtx,
  source: ActiveSource,
  { ear, wake }: { ear: LocalEar; wake: () => void },
): Promise<OpenedSource> {
  const { id: sourceId, environment_id: environmentId, environment_type: environmentType } = source;
  const place = { environmentId, environmentType, sourceId };
  const onError = (error: Error) => ctx.log.debug({ source: sourceId, reason: error.message }, "a connection was lost");
  if (source.connection === null) {
    const leave = ear.hear(environmentId, wake);
    return { place, outbox: localOutbox(environmentId), remote: null, close: async () => leave() };
  }
  const url = ctx.secrets.decrypt(source.connection);
  const { address } = await ctx.resolveHost(readAddress(url)!.host);
  const connection = connectionOf(url, address);
  const remote = openSource(connection, onError);
  const onNotify = { [outboxChannel]: () => wake() };
  const listener = await listen({ ...connection, onNotify, onError, name: "tidings-relay-listen" });
  const close = () => Promise.all([remote.destroy(), listener.close()]).then(() => {});
  return { place, outbox: remoteOutbox(source.outbox_schema), remote, close };
}
