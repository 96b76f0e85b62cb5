// COPY of whole tables as streams. The driver has no query for it (store/copy.ts sends rows that are in memory): here
// the side that is slower holds the other one back, so that a table of any size passes through a few hundred kB.
import { once } from "node:events";
import type { Socket } from "node:net";
import type pg from "pg";
import type { BackupSession } from "./session.ts";

/** Rows are gathered into pieces of this size. */
const pieceBytes = 256 * 1024;
/** PostgreSQL is held back while this many pieces wait to be taken. */
const maxWaiting = 4;

type Connection = {
  stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

const rowsIn = (tag: string): number => Number(/^COPY (\d+)$/.exec(tag)?.[1] ?? 0);
const ignore = () => {};

/** Runs `copy … to stdout`. Yields pieces of its output, and returns the number of rows. */
export async function* copyOut(client: BackupSession, text: string): AsyncGenerator<Buffer, number> {
  const pieces: Buffer[] = [];
  let open = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  let rows = 0;
  let end: { error?: Error } | null = null;
  let stream: Socket | null = null;
  let wake = ignore;

  const closePiece = () => {
    if (filled > 0) pieces.push(open.subarray(0, filled));
    open = Buffer.allocUnsafe(pieceBytes);
    filled = 0;
  };
  // The driver uses its buffer again, so that bytes are copied at once.
  const take = (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const taken = chunk.copy(open, filled, from);
      from += taken;
      filled += taken;
      if (filled === pieceBytes) closePiece();
    }
    if (pieces.length >= maxWaiting) stream?.pause();
    if (pieces.length > 0) wake();
  };
  const finish = (error?: Error) => {
    closePiece();
    end ??= { error };
    wake();
  };
  client.query({
    submit(connection: Connection) {
      stream = connection.stream;
      connection.query(text);
      return null;
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }) => take(chunk),
    handleCommandComplete({ text: tag }: { text: string }) {
      rows = rowsIn(tag);
    },
    handleReadyForQuery: () => finish(),
    handleError: (error: Error) => finish(error),
  } as unknown as pg.Submittable);

  try {
    for (;;) {
      const piece = pieces.shift();
      if (piece) {
        yield piece;
        continue;
      }
      if (end) break;
      (stream as Socket | null)?.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    // Nobody takes the rest: the connection is of no more use.
    if (!end) (stream as Socket | null)?.destroy();
  }
  const { error } = end as { error?: Error };
  if (error) throw error;
  return rows;
}

/** Runs `copy … from stdin` with these pieces. Returns the number of rows. */
export function copyIn(client: BackupSession, text: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    /** Why the pieces ended early. PostgreSQL is asked to end the query, and its error is not the cause. */
    let fault: Error | null = null;
    const ended = new AbortController();
    const send = async (connection: Connection) => {
      try {
        for await (const piece of pieces) {
          if (ended.signal.aborted) return;
          connection.sendCopyFromChunk(piece);
          if (connection.stream.writableNeedDrain) await once(connection.stream, "drain", { signal: ended.signal });
        }
        connection.endCopyFrom();
      } catch (error) {
        if (ended.signal.aborted) return;
        fault = error as Error;
        connection.sendCopyFail("the rows ended early");
      }
    };
    client.query({
      submit(connection: Connection) {
        connection.query(text);
        return null;
      },
      handleCopyInResponse: (connection: Connection) => void send(connection),
      handleCommandComplete({ text: tag }: { text: string }) {
        rows = rowsIn(tag);
      },
      handleReadyForQuery: () => resolve(rows),
      handleError(error: Error) {
        ended.abort();
        reject(fault ?? error);
      },
    } as unknown as pg.Submittable);
  });
}
