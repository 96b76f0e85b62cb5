// Secrets in files: the variables that end in _FILE.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { ConfigError, readConfig } from "../src/config.ts";
import { type Setting, settings } from "../src/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "tidings-secrets-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

/** The path of a file with this content. */
function fileWith(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function faultsIn(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split("\n");
  }
}

const key = Buffer.alloc(32, 1).toString("base64");
const url = "postgres://tidings:p@ssword@db.internal:5432/tidings";

const secretNames = Object.entries(settings as Record<string, Setting<unknown>>)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name);

test("every setting that can hold a secret can be in a file", () => {
  assert.deepEqual(secretNames.toSorted(), [
    "DATABASE_URL",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "TIDINGS_API_KEY",
    "TIDINGS_DIRECT_DATABASE_URL",
    "TIDINGS_ENCRYPTION_KEY",
    "TIDINGS_MAIL_URL",
    "TIDINGS_OIDC_CLIENT_SECRET",
    "TIDINGS_REPLICA_DATABASE_URL",
  ]);
  const suspicious = Object.entries(settings)
    .filter(([name, { about }]) => /KEY$|SECRET|PASSWORD$|TOKEN$|HEADERS/.test(name) || about.includes(":password@"))
    .map(([name]) => name);
  assert.deepEqual(
    suspicious.filter((name) => !secretNames.includes(name)),
    [],
  );
});

test("the value is the content of the file, without the line break at its end", () => {
  const config = readConfig({
    DATABASE_URL_FILE: fileWith("url", `${url}\n`),
    TIDINGS_ENCRYPTION_KEY_FILE: ` ${fileWith("key", `${key}\r\n`)} `,
    // As editors on Windows write it.
    TIDINGS_API_KEY_FILE: fileWith("api-key", `\uFEFF${"k".repeat(32)}`),
    TIDINGS_OIDC_ISSUER: "https://accounts.example.com",
    TIDINGS_OIDC_CLIENT_ID: "tidings",
    TIDINGS_OIDC_CLIENT_SECRET_FILE: fileWith("client", "s3cret with spaces"),
    TIDINGS_PUBLIC_URL: "https://notify.example.com",
    TIDINGS_MAIL_FROM: "notify@example.com",
    TIDINGS_MAIL_URL_FILE: fileWith("mail", "smtps://me:pw@mail.example.com"),
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
    OTEL_EXPORTER_OTLP_HEADERS_FILE: fileWith("headers", "api-key=abc\n\n"),
  });
  assert.equal(config.databaseUrl, url);
  assert.deepEqual(config.encryptionKeys, [{ version: 1, key: Buffer.from(key, "base64") }]);
  assert.equal(config.apiKey, "k".repeat(32));
  assert.equal(config.oidc?.clientSecret, "s3cret with spaces");
  assert.equal(config.mailer?.server?.password, "pw");
  assert.deepEqual(config.telemetry?.headers, { "api-key": "abc" });
});

test("an empty variable counts as not set, with or without _FILE", () => {
  assert.deepEqual(faultsIn({ TIDINGS_API_KEY_FILE: " ", DATABASE_URL_FILE: "", DATABASE_URL: "" }), []);
  const config = readConfig({ TIDINGS_API_KEY: "", TIDINGS_API_KEY_FILE: fileWith("one", "x".repeat(20)) });
  assert.equal(config.apiKey, "x".repeat(20));
});

test("Kubernetes and systemd give links to files", () => {
  const path = join(folder, "link");
  symlinkSync(fileWith("target", key), path);
  assert.equal(readConfig({ TIDINGS_ENCRYPTION_KEY_FILE: path }).encryptionKeys.length, 1);
});

test("a value and a file for the same setting are refused, with both names", () => {
  for (const name of secretNames) {
    const both = { [name]: "s3cret", [`${name}_FILE`]: fileWith("both", "s3cret") };
    const faults = faultsIn(both);
    assert.ok(faults.includes(`${name} and ${name}_FILE are both set: set one of them`), faults.join("\n"));
    assert.ok(!faults.join("\n").includes("s3cret"));
  }
});

test("a file that cannot be used is refused with its path and the reason", () => {
  mkdirSync(join(folder, "folder"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  const missing = join(folder, "missing");
  const rows: [path: string, reason: string][] = [
    [missing, "which does not exist"],
    [join(fileWith("plain", "x"), "below"), "which does not exist"],
    [join(folder, "folder"), "which is not a file"],
    // Reading it would wait for a writer.
    [pipe, "which is not a file"],
    [loop, "which is a loop of links"],
    [fileWith("empty", ""), "which is empty"],
    [fileWith("blank", " \n\n"), "which is empty"],
    [fileWith("large", "s3cret ".repeat(10_000)), "which is larger than 64 kB"],
    [fileWith("lines", `${key}\n${key}`), "which must contain the value alone, on one line"],
    [fileWith("binary", Buffer.alloc(32, 0xff)), "which must contain the value alone, on one line"],
    [fileWith("zero", "s3cret\0s3cret"), "which must contain the value alone, on one line"],
  ];
  for (const [path, reason] of rows)
    assert.deepEqual(faultsIn({ TIDINGS_API_KEY_FILE: path }), [`TIDINGS_API_KEY_FILE names ${path}, ${reason}`]);
});

const isRoot = process.getuid?.() === 0;

test("a file of another user is refused", { skip: isRoot && "root may read every file" }, () => {
  const path = fileWith("private", key);
  chmodSync(path, 0);
  assert.deepEqual(faultsIn({ TIDINGS_API_KEY_FILE: path }), [
    `TIDINGS_API_KEY_FILE names ${path}, which the user of this process may not read`,
  ]);
});

test("a secret that was put where a path belongs is not shown", () => {
  for (const value of [key, url, "secrets/key", "./key"]) {
    assert.deepEqual(faultsIn({ TIDINGS_ENCRYPTION_KEY_FILE: value }), [
      "TIDINGS_ENCRYPTION_KEY_FILE must be the absolute path of a file, such as /run/secrets/tidings",
    ]);
  }
});

test("what is wrong with a value names its file, and not the value", () => {
  const path = fileWith("short", "s3cret");
  assert.deepEqual(faultsIn({ TIDINGS_ENCRYPTION_KEY_FILE: path, TIDINGS_API_KEY_FILE: path }), [
    `TIDINGS_API_KEY in ${path} must have 16 to 255 characters without spaces (32 random bytes are a good key)`,
    `TIDINGS_ENCRYPTION_KEY in ${path} must be 32 bytes in base64 or hex (try: openssl rand -base64 32)`,
  ]);
});

test("a file that cannot be read is one error: what needs the setting does not miss it", () => {
  const missing = join(folder, "nothing");
  assert.deepEqual(faultsIn({ DATABASE_URL: url, TIDINGS_ENCRYPTION_KEY_FILE: missing }), [
    `TIDINGS_ENCRYPTION_KEY_FILE names ${missing}, which does not exist`,
  ]);
  assert.deepEqual(faultsIn({ DATABASE_URL_FILE: fileWith("database", url) }), [
    "TIDINGS_ENCRYPTION_KEY is required with DATABASE_URL (try: openssl rand -base64 32)",
  ]);
});
