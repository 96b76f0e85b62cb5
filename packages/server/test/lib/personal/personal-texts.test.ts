import assert from "node:assert/strict";
import { test } from "node:test";
import { marksPersonalFields, withoutPersonalFields } from "../../../src/lib/personal/personal-fields.ts";
import { createRedactor, isDistinctId, spellingsOf } from "../../../src/lib/personal/personal-texts.ts";

const person = {
  subscriberId: "user-77",
  ids: [],
  texts: ["user-77", "ada@example.com", "Ada O'Hara", ...spellingsOf("+44 20 7946 0123")],
  names: ["Ada"],
  values: ["Ada", "O'Hara", "pro"],
  words: ["Ada", "O'Hara"],
};
const options = { pseudonym: "X", hash: () => "hash0000" };
const everywhere = createRedactor(person, { ...options, isAbout: false });
const about = createRedactor(person, { ...options, isAbout: true });

test("identifiers are replaced in all spellings, and addresses of others are not", () => {
  const cases: [string, string][] = [
    ["to ADA@Example.com, please", "to X, please"],
    [
      "jane.ada@example.com, ada@example.com.au, xada@example.com",
      "jane.ada@example.com, ada@example.com.au, xada@example.com",
    ],
    ["https://a.test/?m=ada%40example.com&x=%3Cada%40example.com%3E", "https://a.test/?m=X&x=%3CX%3E"],
    ["<b>Ada O&#39;Hara</b>", "<b>X</b>"],
    [`file ${Buffer.from("of ada@example.com!").toString("base64")} end`, "file  end"],
    ["user-77, user-771, superuser-77", "X, user-771, superuser-77"],
    ["+442079460123 or +44 20 7946 0123", "X or X"],
    ["Ada likes it", "Ada likes it"],
    ["ada", "X"],
  ];
  for (const [given, expected] of cases) assert.equal(everywhere.text(given), expected);
  assert.equal(about.text("Ada likes pro plans"), "X likes pro plans");
  assert.deepEqual(about.json({ plan: "pro", pro: 1 }), { plan: "X", pro: 1 });
  assert.equal(everywhere.key("welcome-ada@example.com"), "welcome-X_hash0000");
});

test("records about the person keep the pseudonym only; an id is replaced where it is one", () => {
  const value = {
    list: [{ subscriberId: "user-77", note: "secret" }, { subscriberId: "bob" }],
    to: ["user-77", "bob"],
  };
  assert.deepEqual(everywhere.json(value), {
    list: [{ subscriberId: "X" }, { subscriberId: "bob" }],
    to: ["X", "bob"],
  });
  assert.equal(everywhere.names(value), true);
  assert.equal(everywhere.names({ amount: "user-77" }), false);
  assert.deepEqual(["42", "ada", "123456", "user-77", "1234567"].map(isDistinctId), [false, false, false, true, true]);
});

test("fields that a schema marks are removed, also in lists and behind references", () => {
  const marked = { "x-personal": true };
  const schema = {
    properties: { name: marked, order: {}, people: { items: { $ref: "#/$defs/person" } } },
    $defs: { person: { properties: { phone: marked } } },
  };
  assert.equal(marksPersonalFields(schema), true);
  assert.equal(marksPersonalFields({ properties: { name: {} } }), false);
  const payload = { name: "Ada", order: 7, people: [{ phone: "1", city: "Brno" }], more: { name: "kept" } };
  const left = { order: 7, people: [{ city: "Brno" }], more: { name: "kept" } };
  assert.deepEqual(withoutPersonalFields(schema, payload), left);
});
