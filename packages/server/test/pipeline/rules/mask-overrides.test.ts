import assert from "node:assert/strict";
import { test } from "node:test";
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
