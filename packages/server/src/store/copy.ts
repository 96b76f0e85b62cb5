// COPY in the driver: the rows of several tables go to PostgreSQL in one round trip (docs/decisions/0021-copy.md). The driver
// has no query that sends rows.
import pg from "pg";

/** A query of COPY and its rows (copy-rows.ts). They are the only parameter of the query. */
export class CopyMessages {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

type Query = (...args: unknown[]) => unknown;

/** A client whose queries may have CopyMessages as their parameter. */
export class CopyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
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

/** What the driver calls as PostgreSQL answers. */
function copyQuery(
  messages: CopyMessages,
  resolve: (result: CopyResult) => void,
  reject: (error: Error) => void,
): pg.Submittable {
  const ignore = () => {};
  return {
    /**
     * The rows are sent right behind the query: PostgreSQL reads messages in their order, and after an error it skips the
     * rows that are still to come.
     */
    submit: (connection) => void connection.stream.write(messages.bytes),
    handleCopyInResponse: ignore,
    handleCommandComplete: ignore,
    handleReadyForQuery: () => resolve({ command: "COPY", rows: [] }),
    handleError: reject,
  } as pg.Submittable;
}
