// The first file of the bundle that `npm start` runs (docs/decisions/0020-server-bundle.md), in each of its threads. It
// imports nothing, so that an older Node gets as far as the sentence below, before anything is started.
const oldestNode = 24;

if (Number(process.versions.node.split(".")[0]) < oldestNode) {
  process.stderr.write(
    `Tidings could not start.\nIt needs Node ${oldestNode} or later, and this is Node ${process.versions.node} (${process.execPath}). ` +
      "`npm start` installs the Node that it needs and runs on it. A service manager can run the same one, in the folder of Tidings: " +
      "node_modules/.bin/node packages/server/start.mjs\n",
  );
  process.exit(1);
}
await import("./load.ts");

export {};
