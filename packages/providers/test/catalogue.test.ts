import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { providerIds } from "@tidings/contract";
import { generateRegistry } from "../scripts/generate-registry.ts";
import { catalogue } from "../src/catalogue.ts";
import { credentialMembers, findProvider, listProviders, secretFields } from "../src/index.ts";
import { adapters } from "../src/registry.gen.ts";

describe("the catalogue of providers", () => {
  it("knows the 77 and the in-app provider, each once", () => {
    assert.equal(providerIds.length, 77);
    assert.equal(new Set(providerIds).size, 77);
    const known = [...catalogue, ...adapters].map(({ id }) => id);
    assert.deepEqual(known.toSorted(), [...providerIds, "svc"].toSorted());
    assert.deepEqual(
      listProviders().map(({ id }) => id),
      [...providerIds, "svc"],
    );
  });

  it("counts 20 email, 37 SMS, 8 push and 12 chat", () => {
    const counts = Object.groupBy(listProviders(), ({ channel }) => channel);
    assert.deepEqual(Object.fromEntries(Object.entries(counts).map(([channel, list]) => [channel, list.length])), {
      email: 20,
      sms: 37,
      push: 8,
      chat: 12,
      in_app: 1,
    });
  });

  it("says which can send", () => {
    for (const { id } of adapters) assert.equal(findProvider(id)?.canSend, true);
    for (const { id } of catalogue) assert.equal(findProvider(id)?.canSend, false);
    assert.equal(findProvider("nobody"), undefined);
  });

  it("shows no functions", () => {
    for (const info of listProviders()) assert.deepEqual(JSON.parse(JSON.stringify(info)), info);
  });

  it("uses known members only, and calls a member secret everywhere or nowhere", () => {
    const secretness = new Map<string, boolean>();
    for (const { id, credentials } of listProviders()) {
      for (const [name, { secret, label }] of Object.entries(credentials)) {
        assert.ok(credentialMembers.includes(name), `${id}.${name}`);
        assert.ok(label, `${id}.${name} has a label`);
        assert.equal(secretness.get(name) ?? secret, secret, `${id}.${name}`);
        secretness.set(name, secret);
      }
    }
  });

  it("masks what another provider calls secret", () => {
    assert.deepEqual(
      [...secretFields("nodemailer")].sort(),
      [
        "accessKey",
        "apiKey",
        "apiToken",
        "appSid",
        "password",
        "secretKey",
        "serviceAccount",
        "signingSecret",
        "token",
      ].sort(),
    );
  });
});

describe("the registry", () => {
  it("is what the folder says", () => {
    const { path, content } = generateRegistry();
    assert.equal(readFileSync(path, "utf8"), content);
  });
});
