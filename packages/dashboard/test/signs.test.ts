// The signs of a subscriber's delivery log.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "@tidings/contract";
import { isUnhappy, signsOf } from "../src/screens/subscribers/signs.ts";

test("the signs of a subscriber's log say what each channel waits for, and until when", () => {
  const until = "2026-03-01T12:38:00.000Z";
  const job = (type: Job["type"], status: Job["status"], code?: string, raw: object = { until }): Job => ({
    _id: `${type} ${status}`,
    type,
    status,
    providerId: "svc",
    step: { _id: "", active: true, filters: [], _templateId: "" },
    executionDetails: code
      ? [
          {
            _id: "",
            status: "Pending",
            detail: "",
            isRetry: false,
            isTest: false,
            source: "Internal",
            code,
            raw: JSON.stringify(raw),
          },
        ]
      : [],
  });
  const shown = (...jobs: Job[]) =>
    signsOf({ _environmentId: "", _organizationId: "", _subscriberId: "", transactionId: "", jobs }).map((sign) =>
      [sign.type, sign.tone, sign.text, sign.until].filter(Boolean).join(" "),
    );
  assert.deepEqual(
    shown(job("in_app", "completed"), job("digest", "delayed", "step_digested"), job("email", "pending")),
    ["in_app good sent", `email info collecting until ${until}`],
  );
  assert.deepEqual(shown(job("delay", "delayed", "step_delayed"), job("sms", "pending")), [
    `sms info waiting until ${until}`,
  ]);
  assert.deepEqual(shown(job("email", "delayed", "waiting_for_provider"), job("push", "skipped")), [
    "email info waiting",
    "push quiet not sent",
  ]);
  const first = { _environmentId: "", _organizationId: "", _subscriberId: "", transactionId: "" };
  assert.equal(isUnhappy({ ...first, jobs: [job("email", "failed")] }), true);
  assert.equal(isUnhappy({ ...first, jobs: [job("email", "delayed", "step_held")] }), false);
});
