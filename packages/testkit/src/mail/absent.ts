// A mail server that is away until it is started. It takes every mail, and counts them by recipient.
import { accepting, type OpenMailServer, openMailServer } from "./server.ts";

export type AbsentMail = {
  port: number;
  /** How often each recipient got a mail. */
  received: Map<string, number>;
  /** When the first mail came since the start. */
  firstAt(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Whoever creates it stops it; tests use `absentMailServer`. */
export function createAbsentMail(port: number): AbsentMail {
  const received = new Map<string, number>();
  let firstAt = 0;
  let server: OpenMailServer | undefined;
  const onData = accepting((_mail, recipients) => {
    firstAt ||= performance.now();
    for (const address of recipients) received.set(address, 1 + (received.get(address) ?? 0));
  });
  return {
    port,
    received,
    firstAt: () => firstAt,
    stop: async () => server?.close(),
    async start() {
      firstAt = 0;
      server = await openMailServer({ disabledCommands: ["STARTTLS", "AUTH"], onData }, port);
    },
  };
}
