// Addresses of one and of several hosts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDatabaseUrl } from "../../../src/lib/settings/database-url.ts";

const readable: [string, string, string[], string][] = [
  ["postgres://u:p@one:5432/db", "any", ["postgres://u:p@one:5432/db"], "one:5432/db"],
  [
    "postgres://u:p@one:5432,two:5433/db?target_session_attrs=read-write&sslmode=require",
    "read-write",
    [
      "postgres://u:p@one:5432/db?target_session_attrs=read-write&sslmode=require",
      "postgres://u:p@two:5433/db?target_session_attrs=read-write&sslmode=require",
    ],
    "one:5432,two:5433/db",
  ],
  [
    "postgresql://u:p@a,b,[::1]:7@[::1]:1,two/db",
    "any",
    ["postgresql://u:p@a,b,[::1]:7@[::1]:1/db", "postgresql://u:p@a,b,[::1]:7@two/db"],
    "[::1]:1,two/db",
  ],
  ["postgres://u@/db?host=/run/postgresql", "any", ["postgres://u@/db?host=/run/postgresql"], "/db"],
  [
    "postgres://one/db?target_session_attrs=primary",
    "primary",
    ["postgres://one/db?target_session_attrs=primary"],
    "one/db",
  ],
];

for (const [text, target, urls, name] of readable) {
  test(`${text} has ${urls.length} hosts`, () => assert.deepEqual(parseDatabaseUrl(text), { urls, target, name }));
}

const refused: [string, RegExp][] = [
  ["mysql://one/db", /must start with postgres/],
  ["postgres://u:secret@one,,two/db", /empty host/],
  ["postgres://u:secret@one,two:x/db", /two:x/],
  [
    "postgres://u:secret@one,two/db?target_session_attrs=prefer-standby",
    /target_session_attrs that is none of: any, read-write/,
  ],
  [`postgres://u:secret@${Array(11).fill("one").join(",")}/db`, /more than 10 hosts/],
];

for (const [text, reason] of refused) {
  test(`${text} is refused without its password`, () => {
    assert.throws(
      () => parseDatabaseUrl(text),
      (error: Error) => reason.test(error.message) && !/secret/.test(error.message),
    );
  });
}
