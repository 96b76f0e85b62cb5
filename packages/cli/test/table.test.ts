// The table of commands: each can be loaded, has help with an example, and is in docs/cli.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commands } from "../src/commands/index.ts";
import { openTerminal } from "./support.ts";

const terminal = openTerminal({ url: "http://127.0.0.1:9", apiKey: "none" });
const page = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");

test("every command has help with an example, and a section with one in docs/cli.md under its group", async () => {
  const groups = Map.groupBy(Object.keys(commands), (name) => commands[name]!.group);
  for (const [group, names] of groups) {
    const section = page.split(`\n## ${group}\n`)[1]?.split("\n## ")[0] ?? "";
    const documented = [...section.matchAll(/^### ([\w-]+)$/gm)].map(([, name]) => name);
    assert.deepEqual(documented.sort(), names.toSorted(), `docs/cli.md, ${group}`);
    for (const name of names) {
      const { code, stdout } = await terminal.run(name, "--help");
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^tidings ${name}[\\s\\S]*--json[\\s\\S]*\\nExample\\n {2}.*tidings ${name}`));
      const part = section.split(`### ${name}\n`)[1]?.split("\n### ")[0] ?? "";
      assert.match(part, new RegExp(`\`\`\`sh\\n[\\s\\S]*tidings ${name}`), `docs/cli.md, ${name}`);
    }
  }
});
