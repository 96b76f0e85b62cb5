// The table of commands: each can be loaded, has help with an example, and is in docs/cli.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { commands } from "../src/commands/index.ts";
import { confirmChange } from "../src/confirm.ts";
import { createOutput } from "../src/output.ts";
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

test("whatever a text holds, a terminal gets text, and the styles of this program", () => {
  const hostile = "a\u001b]52;c;ZXZpbA==\u0007b\u001b[2Jc\u001b[8md\u202ee\u009bf\rg\u0000";
  const write = (env: Record<string, string>) => {
    const parts: string[] = [];
    const stream = new Writable({
      write: (part, _encoding, done) => {
        parts.push(String(part));
        done();
      },
    });
    const io = {
      stdout: stream,
      stderr: stream,
      stdin: Readable.from([]),
      env,
      cwd: "/",
      signal: new AbortController().signal,
    };
    const out = createOutput(io, { isJson: false });
    out.line(hostile);
    out.line(`${out.style("red", "x")} ${out.style("bold", hostile)}`);
    out.note(hostile);
    out.table(["head"], [[hostile], ["two\nlines"]]);
    return parts.join("");
  };
  const plain = "a]52;c;ZXZpbA==b[2Jc[8mdefg";
  assert.equal(write({}), `${plain}\nx ${plain}\n${plain}\nhead\n${plain}\ntwo lines\n`);
  assert.equal(
    write({ FORCE_COLOR: "1" }),
    `${plain}\n\u001b[31mx\u001b[39m \u001b[1m${plain}\u001b[22m\n${plain}\n\u001b[2mhead\u001b[22m\n${plain}\ntwo lines\n`,
  );
});

test("the question before a change is one line of text", async () => {
  const { stdin, ...io } = {
    stdin: Readable.from([]),
    stdout: new Writable(),
    stderr: new Writable(),
    env: {},
    cwd: "/",
  };
  const asked = confirmChange({ ...io, stdin, signal: new AbortController().signal }, "Apply in \u001b[2JProd\nuction");
  await assert.rejects(asked, { message: "Apply in [2JProd uction: this needs a confirmation." });
});
