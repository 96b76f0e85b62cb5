// The address that the service listens on: whether it is free, asked before a database is created, and how people are
// shown it.
import { createServer } from "node:net";
import { type Config, ConfigError } from "./config.ts";

type Listen = Pick<Config, "host" | "port">;

/** Fails with a sentence where the service could not listen. The port may still be taken before it does. */
export async function requireFreeAddress({ host, port }: Listen): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen({ host, port }, resolve);
  }).catch((error: unknown) => {
    throw explainListenError(error, { host, port });
  });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

/** Errors of the operator as a sentence that names the setting; other errors unchanged. */
export function explainListenError(error: unknown, { host, port }: Listen): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new ConfigError(
        `Port ${port} of ${host} is in use by another program, perhaps a Tidings that runs already. Choose another port with ` +
          `TIDINGS_PORT, such as TIDINGS_PORT=${port === 65_535 ? port - 1 : port + 1}.`,
      );
    case "EACCES":
      return new ConfigError(
        `This user may not listen on port ${port}: choose another with TIDINGS_PORT, such as TIDINGS_PORT=3000.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ConfigError(
        `TIDINGS_HOST is ${host}, which is not an address of this machine. 0.0.0.0 listens on all of them.`,
      );
    default:
      return error;
  }
}

const unspecified = new Set(["0.0.0.0", "::", "127.0.0.1", "::1", "localhost"]);

/**
 * For the banner and sign-in links: `localhost` for this machine, as in the guides and the command line, because a
 * browser keeps the session of 127.0.0.1 apart from that of localhost.
 */
export function urlForPeople({ host, port }: Listen): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `http://${unspecified.has(host) ? "localhost" : name}:${port}`;
}
