// COPY in the driver: the rows of several tables go to PostgreSQL as lines of text, in one round trip
// (docs/decisions/0021-copy.md). The driver has the messages of COPY but no query that sends them.
import pg from "pg";

/** For each `copy … from stdin` of a query text the lines of its table. It is the only parameter of the query. */
export class CopyData {
  readonly linesOfTables: readonly string[];

  constructor(linesOfTables: readonly string[]) {
    this.linesOfTables = linesOfTables;
  }
}

type Query = (...args: unknown[]) => unknown;

/** A client whose queries may have CopyData as their parameter. */
export class CopyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as Query;
    const copyOrQuery: Query = (text, values, ...rest) => {
      const [data] = Array.isArray(values) ? values : [];
      if (!(data instanceof CopyData)) return query(text, values, ...rest);
      return new Promise<CopyResult>((resolve, reject) => query(copyQuery(text as string, data, resolve, reject)));
    };
    this.query = copyOrQuery as typeof this.query;
  }
}

type CopyResult = { command: "COPY"; rows: [] };

/** The driver's connection; its types leave these two out. */
type CopyConnection = pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };

/** What the driver calls as PostgreSQL answers. */
function copyQuery(
  text: string,
  data: CopyData,
  resolve: (result: CopyResult) => void,
  reject: (error: Error) => void,
): pg.Submittable {
  const ignore = () => {};
  return {
    /**
     * The lines are sent right behind the query: PostgreSQL reads messages in their order, and after an error it skips the
     * lines that are still to come.
     */
    submit(connection) {
      const to = connection as CopyConnection;
      to.stream.cork();
      to.query(text);
      for (const lines of data.linesOfTables) {
        to.sendCopyFromChunk(Buffer.from(lines));
        to.endCopyFrom();
      }
      to.stream.uncork();
    },
    handleCopyInResponse: ignore,
    handleCommandComplete: ignore,
    handleReadyForQuery: () => resolve({ command: "COPY", rows: [] }),
    handleError: reject,
  } as pg.Submittable;
}
