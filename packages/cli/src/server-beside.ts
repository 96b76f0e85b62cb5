// The server next to this command line, for commands that need its database: in a clone and in the image. The rest of
// the command line works without it.
import { existsSync } from "node:fs";
import { CliError } from "./failure.ts";

const bundle = new URL("../../server/dist/", import.meta.url);
const oldestNode = 24;

/** One of the files that scripts/build-server.mjs builds for the command line. */
export async function loadFromServer<T>(name: "migrate"): Promise<T> {
  const file = new URL(`${name}.js`, bundle);
  if (!existsSync(file))
    throw new CliError(
      "This command needs the server, and there is none next to this command line.",
      { fix: "Run it where Tidings is installed: in its container, or in its folder after `npm run setup`." },
    );
  if (Number(process.versions.node.split(".")[0]) < oldestNode)
    throw new CliError(
      `This command needs Node ${oldestNode} or later, and this is Node ${process.versions.node}.`,
      { fix: "In the folder of Tidings: node_modules/.bin/node packages/cli/bin/tidings.mjs" },
    );
  return (await import(file.href)) as T;
}
