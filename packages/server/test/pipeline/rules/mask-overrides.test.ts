import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutTags } from "../../../src/pipeline/render/html.ts";
import { maskOverrides } from "../../../src/pipeline/rules/overrides.ts";
import { secrets } from "../../support/runs.ts";

test("credentials that an event passes through are masked wherever overrides are shown", () => {
  const passed = {
    body: { token: "of the message" },
    headers: { Authorization: "Bearer s3cret", "X-Api-Key": "s3cret", cookie: "s3cret", "X-Trace": "t" },
    query: { access_token: "s3cret", page: "1" },
  };
  const overrides = {
    email: { subject: "S" },
    providers: { sendgrid: { _passthrough: passed } },
    steps: { a: { _passthrough: passed } },
  };
  const seen = {
    body: { token: "of the message" },
    headers: { Authorization: "********", "X-Api-Key": "********", cookie: "********", "X-Trace": "t" },
    query: { access_token: "********", page: "1" },
  };
  assert.deepEqual(maskOverrides(secrets, overrides), {
    email: { subject: "S" },
    providers: { sendgrid: { _passthrough: seen } },
    steps: { a: { _passthrough: seen } },
  });
  assert.equal(maskOverrides(secrets, null), undefined);
  assert.deepEqual(maskOverrides(secrets, { _passthrough: "nonsense" }), { _passthrough: "nonsense" });
});

const texts: [given: string, left: string][] = [
  ["Order 4711 & more", "Order 4711 & more"],
  ["1 < 2 and 3 > 2, I <3 you", "1 < 2 and 3 > 2, I <3 you"],
  ["<img src=x onerror=alert(1)>Hello", "Hello"],
  ["<scr<b>ipt>alert(1)</script>", "< script>alert(1)"],
  ["<svg/onload=alert(1)", "< svg/onload=alert(1)"],
  ["a\u0000b\u0007c\td", "abc\td"],
];

for (const [given, left] of texts) {
  test(`subject and labels: ${JSON.stringify(given)}`, () => assert.equal(withoutTags(given), left));
}
