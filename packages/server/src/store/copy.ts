// COPY in the driver: the rows of several tables go to PostgreSQL in one round trip (docs/decisions/0021-copy.md). The
// driver has no query that sends rows.
import type { Writable } from "node:stream";
import type pg from "pg";
import { type ClientOptions, DatabaseClient } from "./client.ts";

/** A query of COPY and its rows, in pieces (copy-rows.ts). They are the only parameter of the query. */
export class CopyMessages {
  readonly pieces: Iterable<Buffer>;

  constructor(pieces: Iterable<Buffer>) {
    this.pieces = pieces;
  }
}

type Query = (...args: unknown[]) => unknown;

/** A client whose queries may have CopyMessages as their parameter. */
export class CopyClient extends DatabaseClient {
  constructor(options: ClientOptions) {
    super(options);
    const query = this.query.bind(this) as Query;
    const copyOrQuery: Query = (text, values, ...rest) => {
      const [messages] = Array.isArray(values) ? values : [];
      if (!(messages instanceof CopyMessages)) return query(text, values, ...rest);
      return new Promise<CopyResult>((resolve, reject) => query(copyQuery(messages, resolve, reject)));
    };
    this.query = copyOrQuery as typeof this.query;
  }
}

type CopyResult = { command: "COPY"; rows: [] };

/**
 * What the driver calls. The rows are sent right behind the query: PostgreSQL reads messages in their order, and after
 * an error it skips the rows that are still to come.
 */
function copyQuery(
  { pieces }: CopyMessages,
  resolve: (result: CopyResult) => void,
  reject: (error: Error) => void,
): pg.Submittable {
  const ignore = () => {};
  /** A value that does not fit its column. PostgreSQL is asked to end the query, and its error is not the cause. */
  let fault: Error | null = null;
  return {
    submit(connection: Connection) {
      let isSent = false;
      try {
        for (const piece of pieces) {
          connection.stream.write(piece);
          isSent = true;
        }
      } catch (error) {
        fault = error as Error;
        if (!isSent) return fault;
        connection.sendCopyFail("a value does not fit");
      }
      return null;
    },
    handleCopyInResponse: ignore,
    handleCommandComplete: ignore,
    handleReadyForQuery: () => resolve({ command: "COPY", rows: [] }),
    handleError: (error: Error) => reject(fault ?? error),
  } as unknown as pg.Submittable;
}

type Connection = { stream: Writable; sendCopyFail(reason: string): void };
