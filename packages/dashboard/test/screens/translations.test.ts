// The texts of several languages as one table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, textsOf, withEdits } from "../../src/screens/translations/texts.ts";

test("texts are found by dotted keys, nested or not", () => {
  const texts = textsOf({ subject: "Shipped", button: { open: "Open" }, "footer.text": "Bye" });
  assert.deepEqual([...texts.keys()], ["subject", "button.open", "footer.text"]);
  assert.deepEqual(texts.get("button.open"), { path: ["button", "open"], text: "Open" });
});

test("a new text goes where the model has it, and one that is removed takes its empty group along", () => {
  const model = { subject: "Shipped", button: { open: "Open" }, "footer.text": "Bye" };
  const german = { subject: "Unterwegs", old: "Alt" };
  assert.deepEqual(withEdits(german, { "button.open": "Öffnen", "footer.text": "Tschüss" }, model), {
    subject: "Unterwegs",
    old: "Alt",
    button: { open: "Öffnen" },
    "footer.text": "Tschüss",
  });
  assert.deepEqual(withEdits(model, { "button.open": null }, {}), { subject: "Shipped", "footer.text": "Bye" });
  assert.deepEqual(withEdits({}, { "a.b": "c" }, {}), { a: { b: "c" } });
});

test("what another content changes: added, changed and removed texts", () => {
  const changes = changesOf({ subject: "Expédié", old: "Vieux" }, { subject: "Envoyé", button: { open: "Ouvrir" } });
  assert.deepEqual(changes, [
    { key: "button.open", before: undefined, after: "Ouvrir" },
    { key: "old", before: "Vieux", after: undefined },
    { key: "subject", before: "Expédié", after: "Envoyé" },
  ]);
});
