// A credential that decides which host is called has to be declared as a destination: stored secrets are kept only
// while those stay the same. Found out by changing each credential of each conformance case and looking who is called.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { findProvider, type Io, movedDestinations, send } from "../../src/index.ts";
import type { CredentialField } from "../../src/kit/credentials.ts";
import type { HttpRequest } from "../../src/kit/request.ts";
import type { HttpCase, ProviderCase } from "../conformance/case.ts";

const folder = join(import.meta.dirname, "..", "conformance", "cases");
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const declared = await Promise.all(
  paths.map(async (path) => ((await import(join(folder, path))) as { default: ProviderCase }).default),
);
const cases = declared.filter((one): one is HttpCase => "minimal" in one);

const stranger = "stranger.example.com";

/** Other values that a field could have. */
function othersOf(field: CredentialField, value: unknown): unknown[] {
  if (field.options) return field.options.filter((option) => option !== value);
  if (field.type === "boolean") return [value !== true];
  if (field.type === "number") return [Number(value ?? 0) + 1];
  return [stranger, `https://${stranger}`, "eu-north-1"];
}

/** The hosts a sending calls, up to the first response it needs. */
async function hostsOf(one: HttpCase, credentials: HttpCase["credentials"]): Promise<string[]> {
  const hosts: string[] = [];
  const http = async ({ url }: HttpRequest) => {
    hosts.push(new URL(url).host);
    throw new Error("no answer");
  };
  const now = () => new Date(one.now ?? "2026-01-01T00:00:00Z");
  const io = {
    http,
    http2: http,
    now,
    cached: async (_: string, make: () => Promise<{ value: unknown }>) => (await make()).value,
    forget: () => {},
  };
  await send(one.id, one.minimal.message, credentials, io as unknown as Io);
  return hosts;
}

it("every credential that decides the host is a destination", async () => {
  assert.ok(cases.length > 60);
  const deciding: string[] = [];
  for (const one of cases) {
    const before = await hostsOf(one, one.credentials);
    for (const [name, field] of Object.entries(findProvider(one.id)!.credentials)) {
      if (field.secret || field.type === "object") continue;
      for (const other of othersOf(field, one.credentials[name])) {
        const hosts = await hostsOf(one, { ...one.credentials, [name]: other });
        if (hosts.length === 0 || hosts.join() === before.join()) continue;
        deciding.push(`${one.id}.${name}`);
        assert.equal(field.destination, true, `${one.id}: ${name} decides who is called`);
      }
    }
  }
  for (const known of ["ses.region", "kannel.host", "kannel.port", "mailgun.baseUrl", "braze.apiURL"]) {
    assert.ok(deciding.includes(known), `${known} was seen to decide`);
  }
});

it("what moved is told by the values the provider sees", () => {
  const before = { host: "mail.test", port: "587" };
  assert.deepEqual(movedDestinations("nodemailer", before, { ...before, port: 587, user: "other" }), []);
  assert.deepEqual(movedDestinations("nodemailer", before, { host: "mail2.test", port: 25 }), ["host", "port"]);
  assert.deepEqual(movedDestinations("nodemailer", before, { host: "mail.test" }), ["port"]);
  assert.deepEqual(movedDestinations("sinch", {}, { region: "eu" }), [], "a default is a value");
  assert.deepEqual(movedDestinations("sinch", {}, { region: "us" }), ["region"]);
  assert.deepEqual(movedDestinations("ring-central", { secure: false }, {}), []);
});
