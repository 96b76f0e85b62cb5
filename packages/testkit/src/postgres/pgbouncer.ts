// A real PgBouncer in front of a database, where it is installed (`apt-get install pgbouncer`).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPort } from "../programs/ports.ts";

const program = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find(existsSync);

export const hasPgBouncer = program !== undefined;

type Options = {
  databaseUrl: string;
  mode: "session" | "transaction";
  poolSize?: number;
  port?: number;
  settings?: string[];
};

/** `url`: the same database through PgBouncer, which asks no client for a password. */
export async function startPgBouncer({ databaseUrl, mode, poolSize = 20, settings = [], ...given }: Options) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "tidings-pgbouncer-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  const own = given.port ?? (await findPort());
  const secret = password === "" ? "" : ` password=${decodeURIComponent(password)}`;
  const server = `host=${hostname} port=${port} user=${username}${secret}`;
  const lines = [
    "[databases]",
    `* = ${server}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    "max_client_conn = 500",
    ...settings,
  ];
  writeFileSync(file, lines.join("\n"), { mode: 0o644 });
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const child = spawn(program!, [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  let text = "";
  const isUp = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk;
      if (text.includes("process up")) resolve();
    });
  });
  const failed = exited.then(() => Promise.reject(new Error(`PgBouncer did not start: ${text}`)));
  failed.catch(() => {});
  await Promise.race([isUp, failed]);
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
