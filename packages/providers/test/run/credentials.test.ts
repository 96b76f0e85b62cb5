import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Credentials, validateCredentials } from "../../src/index.ts";
import { scrub, secretValues } from "../../src/run/secrets.ts";

const faults = (id: string, credentials: Credentials, requireAll = true) =>
  validateCredentials(id, credentials, { requireAll }).map(({ field }) => field);

describe("validation of credentials", () => {
  it("wants what the provider requires, but not the sender", () => {
    assert.deepEqual(faults("nodemailer", {}), ["host", "port"]);
    assert.deepEqual(faults("nodemailer", { host: "", port: "587" }), ["host"]);
    assert.deepEqual(faults("nodemailer", { host: "mail.test", port: "587" }), []);
    assert.deepEqual(faults("twilio", { accountSid: "AC1" }), ["token"]);
    assert.deepEqual(faults("svc-email", {}), []);
    assert.deepEqual(validateCredentials("braze", { apiKey: "k", apiURL: "u" }, { requireAll: true }), [
      { field: "appID", message: "appID is required for Braze (App ID)" },
    ]);
  });

  it("wants nothing of an integration that is not active", () => {
    assert.deepEqual(faults("nodemailer", {}, false), []);
  });

  it("takes members of other providers and refuses strangers", () => {
    assert.deepEqual(faults("nodemailer", { apiKey: "k", signingSecret: "s", servicePlanId: "p" }, false), []);
    assert.deepEqual(faults("nodemailer", { apikey: "k", __proto__x: 1 }, false), ["apikey", "__proto__x"]);
    assert.deepEqual(faults("nodemailer", { constructor: "k", toString: "k" }, false), ["constructor", "toString"]);
  });

  const types: [member: string, value: unknown, good: boolean][] = [
    ["port", 587, true],
    ["port", "587", true],
    ["port", "smtp", false],
    ["port", 0, false],
    ["port", 65536, false],
    ["port", 25.5, false],
    ["port", true, false],
    ["host", "mail.test", true],
    ["host", 5, false],
    ["host", null, false],
    ["secure", true, true],
    ["secure", false, true],
    ["secure", "true", false],
    ["secure", null, false],
    ["hmac", 1, false],
    ["tlsOptions", { rejectUnauthorized: false }, true],
    ["tlsOptions", "{}", false],
    ["tlsOptions", [], false],
    ["tlsOptions", null, false],
    ["apiKey", { $ne: "" }, false],
    ["apiURL", 5, false],
  ];
  for (const [member, value, good] of types) {
    it(`${good ? "takes" : "refuses"} ${member} = ${JSON.stringify(value)}`, () => {
      assert.deepEqual(faults("nodemailer", { [member]: value }, false), good ? [] : [member]);
    });
  }

  it("wants one of the choices where the provider has choices", () => {
    assert.deepEqual(faults("sinch", { region: "mars" }, false), ["region"]);
    assert.deepEqual(faults("sinch", { region: "eu" }, false), []);
    assert.deepEqual(faults("ses", { region: "eu-central-1" }, false), []);
  });

  it("never repeats a value", () => {
    const said = JSON.stringify(validateCredentials("nodemailer", { password: 12345678 }, { requireAll: true }));
    assert.doesNotMatch(said, /12345678/);
  });
});

describe("scrubbing", () => {
  const names = ["password", "secretKey"];

  it("removes a secret in every form it may be quoted in", () => {
    const credentials = { password: 'p@ss "w"/1', user: "ada" };
    const secrets = secretValues(names, credentials);
    for (const form of [
      credentials.password,
      encodeURIComponent(credentials.password),
      JSON.stringify(credentials.password),
      Buffer.from(credentials.password).toString("base64"),
    ]) {
      assert.doesNotMatch(scrub(`login ${form} of ada refused`, secrets), /ss/, form);
    }
    assert.equal(scrub(`no ${credentials.password} for ada`, secrets), "no ******** for ada");
  });

  it("removes lines of a key, TLS keys and authorisation headers", () => {
    const secretKey =
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nabcdefghijklmnopqrstuvwx\n-----END PRIVATE KEY-----";
    const secrets = secretValues(names, { secretKey, tlsOptions: { passphrase: "open sesame", ca: "public" } });
    assert.doesNotMatch(scrub("bad line MIIEvQIBADANBgkqhkiG9w0B", secrets), /MIIE/);
    assert.equal(scrub("open sesame, public", secrets), "********, public");
    assert.equal(scrub("sent Authorization: Basic dXNlcjpwYXNz", []), "sent Authorization: Basic ********");
  });

  it("does not let a short secret hide a long one", () => {
    const secrets = secretValues(names, { password: "abc", secretKey: "abcdefgh" });
    assert.equal(scrub("x abcdefgh y", secrets), "x ******** y");
  });

  it("keeps a reason short", () => {
    assert.ok(scrub("x".repeat(5000), []).length <= 501);
  });
});
