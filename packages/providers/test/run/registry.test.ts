import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { addedProviderIds, providerIds } from "@tidings/contract";
import { generateRegistry } from "../../scripts/generate-registry.ts";
import { credentialMembers, findProvider, listProviders, secretFields } from "../../src/index.ts";
import { adapters } from "../../src/registry.gen.ts";

describe("the registry of providers", () => {
  it("knows the 77, what is beside them and the in-app provider, each once", () => {
    assert.equal(providerIds.length, 77);
    assert.equal(new Set(providerIds).size, 77);
    const known = adapters.map(({ id }) => id);
    assert.deepEqual(known.toSorted(), [...providerIds, ...addedProviderIds].toSorted());
    assert.deepEqual(
      listProviders().map(({ id }) => id),
      [...providerIds, ...addedProviderIds, "svc"],
    );
  });

  it("counts 20 email, 37 SMS, 8 push and 12 chat, and beside them Web Push and Telegram", () => {
    assert.deepEqual(addedProviderIds, ["web-push", "telegram"]);
    const among = (id: string): boolean => !(addedProviderIds as readonly string[]).includes(id);
    const counts = Object.groupBy(
      listProviders().filter(({ id }) => among(id)),
      ({ channel }) => channel,
    );
    assert.deepEqual(Object.fromEntries(Object.entries(counts).map(([channel, list]) => [channel, list.length])), {
      email: 20,
      sms: 37,
      push: 8,
      chat: 12,
      in_app: 1,
    });
  });

  it("has a way to send for each", () => {
    for (const { id, request, send } of adapters) assert.ok(request ?? send, id);
    assert.equal(findProvider("no-such-provider"), undefined);
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
        "privateKey",
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
