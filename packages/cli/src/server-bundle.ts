// The commands that work on the database of an installation are part of the server, next to which this program is
// installed in a clone and in the image. Alone, as a package, it has no server to load.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CliError } from "./failure.ts";

type Operate = typeof import("@tidings/server/operate");

const oldestNode = 24;

/** Seen from this file and from the bundle of this program, which are equally deep. */
const bundle = new URL("../../server/dist/operate.js", import.meta.url);
const nodeOfService = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

export async function loadOperate(command: string): Promise<Operate> {
  if (!existsSync(bundle))
    throw new CliError(`\`tidings ${command}\` works where the service is installed, and there is no service here.`, {
      fix: "Run it in the folder of the service, or in its container.",
    });
  if (Number(process.versions.node.split(".")[0]) < oldestNode) await runOnNodeOfService(command);
  return (await import(bundle.href)) as Operate;
}

/** The machine's Node is too old, and the service has its own: this process becomes a call of that one. */
async function runOnNodeOfService(command: string): Promise<never> {
  if (process.platform === "win32" || !existsSync(nodeOfService))
    throw new CliError(
      `\`tidings ${command}\` needs Node ${oldestNode} or later, as the service does; this is ${process.version}.`,
      { fix: `In the folder of the service: node_modules/.bin/node packages/cli/bin/tidings.mjs ${command}` },
    );
  const child = spawn(nodeOfService, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  process.exit(code ?? 1);
}
