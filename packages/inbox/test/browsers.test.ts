// The oldest browsers that docs/inbox.md promises: the built files have nothing in them that these do not know.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../../..");
const dist = join(root, "packages/inbox/dist");

/**
 * Younger than Chrome and Edge 120, Firefox 125 or Safari 17. A new one is added here with its first use that is found
 * to break.
 */
const younger: Record<string, RegExp> = {
  "Promise.withResolvers": /\bwithResolvers\b/,
  "Promise.try": /\bPromise\.try\b/,
  "Object.groupBy, Map.groupBy": /\.groupBy\b/,
  "Array.fromAsync": /\bfromAsync\b/,
  "methods of sets": /\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/,
  "URL.parse": /\bURL\.parse\b/,
  "AbortSignal.any": /\bAbortSignal\.any\b/,
  "Element.checkVisibility": /\bcheckVisibility\b/,
  "setHTML, setHTMLUnsafe, getHTML": /\b(?:setHTML|setHTMLUnsafe|parseHTMLUnsafe|getHTML)\b/,
  "RegExp.escape": /\bRegExp\.escape\b/,
  "Intl.DurationFormat": /\bDurationFormat\b/,
  Temporal: /\bTemporal\./,
  "requestClose, closedby, commandfor": /\b(?:requestClose|closedby|commandfor)\b/,
  "popover=hint": /popover["']?[:=]\s*["']hint/,
  "@starting-style": /@starting-style/,
  "@scope": /@scope\b/,
  "position-anchor, anchor()": /\bposition-anchor\b|\banchor\(/,
  "field-sizing, interpolate-size": /\b(?:field-sizing|interpolate-size)\b/,
  ":state()": /:state\(/,
  "if() of CSS": /:\s*if\((?:style|media|supports)\(/,
};

test("the widget uses nothing that its oldest browsers lack", () => {
  assert.ok(existsSync(dist), "built by npm run setup");
  const files = readdirSync(dist).filter((name) => name.endsWith(".js"));
  assert.ok(files.includes("inbox.js") && files.includes("panel.js"));
  for (const file of files) {
    const text = readFileSync(join(dist, file), "utf8");
    for (const [name, pattern] of Object.entries(younger)) {
      const at = text.search(pattern);
      const found = at < 0 ? "" : text.slice(Math.max(0, at - 60), at + 60);
      assert.equal(found, "", `${name} in ${file}`);
    }
    // `light-dark()` is replaced in browsers without it (ui/sheet.ts), where its two colours have no brackets.
    for (const [pair] of text.matchAll(/light-dark\([^)]*\)/g)) {
      if (!pair.includes("[^")) assert.match(pair, /^light-dark\(\s*[^(),]+,\s*[^(),]+\)$/, `${file}: ${pair}`);
    }
  }
});

test("the guide, the build and this test name the same browsers", () => {
  const docs = readFileSync(join(root, "docs/inbox.md"), "utf8");
  const build = readFileSync(join(root, "scripts/build.mjs"), "utf8");
  assert.match(docs, /Chrome and Edge 120, Firefox 125, Safari 17\b/);
  assert.match(build, /\["chrome120", "firefox125", "safari17"\]/);
});
