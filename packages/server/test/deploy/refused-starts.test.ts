// Starts that cannot succeed, as an operator sees them: a sentence that names what to correct, the exit code 1, and no
// secret.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@tidings/testkit/process";
import { ConfigError } from "../../src/config.ts";
import { explainStartError } from "../../src/database.ts";

const encryptionKey = Buffer.alloc(32, 3).toString("base64");

test("wrong settings, files and passwords end the start at once", async (context) => {
  const folder = temporaryFolder(context);
  const fileWith = (name: string, text: string): string => {
    const file = join(folder.path, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const wrong = Object.assign(new URL(process.env.TEST_DATABASE_URL!), { password: "s3cret" });
  const missing = join(folder.path, "missing");
  const starts: { settings: Record<string, string>; said: RegExp }[] = [
    {
      settings: { TIDINGS_PORTS: "s3cret", TIDINGS_HOST_FILE: "/s3cret", TIDINGS_API_KEY_FILE: missing },
      said: /^TIDINGS_PORTS is not a setting; did you mean TIDINGS_PORT\?\nTIDINGS_HOST_FILE is not a setting: TIDINGS_HOST is not a secret, so set it directly\nTIDINGS_API_KEY_FILE names \S+missing, which does not exist$/m,
    },
    {
      settings: {
        DATABASE_URL_FILE: fileWith("database-url", `${wrong.href}\n`),
        TIDINGS_ENCRYPTION_KEY_FILE: fileWith("encryption-key", `${encryptionKey}\n`),
        // It would wait this long for a server that is down.
        TIDINGS_DATABASE_WAIT: "3600",
      },
      said: /^PostgreSQL at \S+ refused the password of user "tidings" for database "\w+": the password is wrong, or the user does not exist\. Correct DATABASE_URL\.$/m,
    },
  ];
  const programs = starts.map(({ settings, said }) => ({ program: folder.run(settings), said }));
  for (const { program, said } of programs) {
    assert.equal(await program.ended(), 1);
    assert.match(program.output(), said);
    assert.doesNotMatch(program.output(), /s3cret|\n {4}at /);
  }
});

test("a database that is lost during the start is a sentence, and other errors keep their stack", () => {
  const lost = Object.assign(new Error("terminating connection due to administrator command"), { code: "57P01" });
  const explained = explainStartError(lost, "PostgreSQL at db/tidings");
  assert.ok(explained instanceof ConfigError);
  assert.match(
    explained.message,
    /^The connection to PostgreSQL at db\/tidings was lost during the start: terminating/,
  );
  const full = explainStartError(new Error("ENOSPC: no space left on device, write"), "it") as Error;
  assert.match(full.message, /^The disk of it is full: ENOSPC/);
  const bug = new TypeError("x is not a function");
  assert.equal(explainStartError(bug, "it"), bug);
});
