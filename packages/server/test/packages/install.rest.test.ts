// The client and the command line as others install them: into a TypeScript project from the running service, and into
// a JavaScript project from files. Both use what they installed against that service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { openProject, tarballOf } from "./project.ts";

const service = await shareService();
await createWorkflow(service.client, "note", [inApp({ subject: "Note", body: "Text" })]);
const env = { TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey };

const withTypes = openProject({ type: "module" });
const addresses = ["client", "cli", "inbox"].map((short) => `${service.url}/packages/${tarballOf(short).file}`);
await withTypes.npm("install", ...addresses);
withTypes.link("@types/node");

const withoutTypes = openProject();
await withoutTypes.npm("install", "--offline", tarballOf("client").path, tarballOf("cli").path);

async function countEvents(transactionIds: string[]): Promise<number> {
  const lists = await Promise.all(
    transactionIds.map((transactionId) => service.client("notifications.list", { query: { transactionId } })),
  );
  return lists.reduce((sum, { body }) => sum + body.data.length, 0);
}

test("npm installs the packages from the service, and nothing else", async () => {
  const lock = JSON.parse(withTypes.read("package-lock.json")) as {
    packages: Record<string, { resolved?: string; integrity?: string; version?: string }>;
  };
  const { "": own, ...installed } = lock.packages;
  assert.ok(own);
  const expected = ["cli", "client", "inbox"].map((short, index) => {
    const { name, version, integrity } = tarballOf(short);
    const resolved = addresses.find((address) => address.includes(`tidings-${short}-`));
    return [index, `node_modules/${name}`, resolved, version, integrity];
  });
  const found = Object.entries(installed)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { resolved, version, integrity }], index) => [index, path, resolved, version, integrity]);
  assert.deepEqual(found, expected);
});

const program = `
const tidings = createTidings({ baseUrl: process.env["TIDINGS_URL"]!, apiKey: process.env["TIDINGS_API_KEY"] ?? "" });

async function main(): Promise<void> {
  const event: CallInput<"events.trigger">["body"] = { name: "note", to: { subscriberId: "ada", firstName: "Ada" } };
  const result: Output<"events.trigger"> = await tidings.events.trigger({ body: event });
  const { firstName, ...subscriber } = await tidings.subscribers.retrieve({ params: { subscriberId: "ada" } });
  const id: string = subscriber.subscriberId;
  try {
    await tidings.call("subscribers.retrieve", { params: { subscriberId: "nobody" } });
  } catch (error) {
    if (!(error instanceof TidingsError) || error.code !== "SUBSCRIBER_NOT_FOUND") throw error;
    console.log(JSON.stringify({ id, firstName, status: error.status, transactionId: result.transactionId }));
  }
}
void main();

// @ts-expect-error An event names its workflow.
void (() => tidings.events.trigger({ body: { to: "ada" } }));
// @ts-expect-error There is no such code.
void ((error: TidingsError) => error.code === "NO_SUCH_CODE");
// @ts-expect-error There is no such operation.
void (() => tidings.events.launch());
`;
const esm = `import { type CallInput, createTidings, type Output, TidingsError } from "@tidings/client";\n${program}`;
const cjs = `import client = require("@tidings/client");
import type { CallInput, Output } from "@tidings/client";
const { createTidings } = client;
import TidingsError = client.TidingsError;
${program}`;

test("strict TypeScript compiles against the client, as a module and as CommonJS, and the program runs", async () => {
  withTypes.write("app.mts", esm);
  withTypes.write("app.cts", cjs);
  const node16 = { module: "node16", moduleResolution: "node16", lib: ["es2022"], types: ["node"], outDir: "out" };
  await withTypes.compile(node16, ["app.mts", "app.cts"]);
  const results = await Promise.all(
    ["out/app.mjs", "out/app.cjs"].map(async (file) => JSON.parse(await withTypes.run(process.execPath, [file], env))),
  );
  for (const { id, firstName, status } of results) assert.deepEqual([id, firstName, status], ["ada", "Ada", 404]);
  assert.equal(await countEvents(results.map(({ transactionId }) => transactionId)), 2);
  // For bundlers, with the declarations of browsers instead of those of Node.
  withTypes.write("page.ts", `declare const process: { env: Record<string, string | undefined> };\n${esm}`);
  const browser = { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], types: [], noEmit: true };
  await withTypes.compile(browser, ["page.ts"]);
});

const use = `
const tidings = createTidings({ baseUrl: process.env.TIDINGS_URL, apiKey: process.env.TIDINGS_API_KEY });
tidings.events.trigger({ body: { name: "note", to: "grace" } }).then(({ transactionId }) => console.log(transactionId));
`;

test("JavaScript imports and requires the client", async () => {
  withoutTypes.write("app.mjs", `import { createTidings } from "@tidings/client";${use}`);
  withoutTypes.write("app.cjs", `const { createTidings } = require("@tidings/client");${use}`);
  const ids = await Promise.all(
    ["app.mjs", "app.cjs"].map(async (file) => (await withoutTypes.run(process.execPath, [file], env)).trim()),
  );
  assert.equal(await countEvents(ids), 2);
  await assert.rejects(
    withoutTypes.node("--eval", 'require("@tidings/client/source")'),
    /ERR_PACKAGE_PATH_NOT_EXPORTED/,
  );
});

test("the command line runs where it was installed, with nothing next to it", async () => {
  const { version } = tarballOf("cli");
  assert.equal((await withTypes.run("npx", ["tidings", "--version"])).trim(), version);
  const { environment } = JSON.parse(await withoutTypes.run("node_modules/.bin/tidings", ["whoami", "--json"], env));
  assert.equal(environment.name, "Development");
  const { dependencies } = JSON.parse(withoutTypes.read("node_modules/@tidings/cli/package.json"));
  assert.equal(dependencies, undefined);
});
