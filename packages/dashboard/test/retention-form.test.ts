// The form of the retentions, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Retention, RetentionClass } from "@tidings/contract";
import { changesOf, deletesMore, fieldsOf, findInvalid } from "../src/screens/settings/retention-form.ts";

const classOf = (name: RetentionClass["name"], days: number, source: RetentionClass["source"]) =>
  ({ name, days, source, defaultDays: 90 }) as RetentionClass;

const retention = {
  classes: [
    classOf("messages", 60, "environment"),
    classOf("inApp", 365, "environment"),
    classOf("captured", 90, "installation"),
    classOf("deadLetters", 90, "installation"),
    classOf("statistics", 90, "installation"),
  ],
} as Retention;

describe("the form of the retentions", () => {
  const fields = fieldsOf(retention);

  test("shows what the environment has set, and leaves defaults empty", () => {
    assert.deepEqual(fields, { messages: "60", inApp: "365", captured: "", deadLetters: "", statistics: "" });
    assert.deepEqual(changesOf(retention, fields), {});
  });

  test("text that is no whole number is invalid", () => {
    assert.deepEqual(findInvalid({ ...fields, captured: "a week", inApp: "1.5", messages: " 7 " }), [
      "inApp",
      "captured",
    ]);
  });

  const cases: [name: string, change: Partial<typeof fields>, body: object, isShorter: boolean][] = [
    ["a shorter retention", { messages: "30" }, { messages: 30 }, true],
    ["a longer one", { messages: " 70 " }, { messages: 70 }, false],
    ["back to a longer default", { messages: "" }, { messages: null }, false],
    ["back to a shorter default", { inApp: "" }, { inApp: null }, true],
    ["shorter than the default", { captured: "7" }, { captured: 7 }, true],
  ];
  for (const [name, change, body, isShorter] of cases) {
    test(name, () => {
      const changes = changesOf(retention, { ...fields, ...change });
      assert.deepEqual(changes, body);
      assert.equal(deletesMore(retention, changes), isShorter);
    });
  }
});
