// What the service returns for the dashboard: its page, its files, and what stays a response of the API.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import type { Config } from "../../src/config.ts";
import { acceptsPage, dashboardPathsOf } from "../../src/http/dashboard/routes.ts";

const { url } = await shareService();

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe("the page of the dashboard", () => {
  test("is the answer to every path of a screen, without anything inline", async () => {
    for (const path of ["/", "/activity", "/activity/txn_1", "/workflows/a/steps/b", "/sign-in", "/subscribers/ada"]) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(headers.get("cache-control"), "no-store");
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.doesNotMatch(text, /<style|style=|<script>|onload=/);
      assert.match(text, /<base href="\/">/);
    }
  });

  test("loads the screen of its path beside the entry", async () => {
    const preloads = async (path: string) =>
      (await get(path)).text.match(/modulepreload" href="[^"]+-screen-[^"]+"/g) ?? [];
    for (const [path, screen] of [
      ["/", "home"],
      ["/activity?outcome=failed", "activity"],
      ["/activity/txn_1", "run"],
      ["/workflows/welcome", "editor"],
      ["/subscribers/ada", "subscriber"],
      ["/topics", "topics"],
      ["/sign-in", "sign-in"],
      ["/integrations/new", "catalogue"],
      ["/integrations/new/sendgrid", "new-integration"],
      ["/integrations/sendgrid", "integration"],
      ["/dead-letters/replays/1", "replay"],
    ])
      assert.match(
        String(await preloads(path!)),
        new RegExp(`^modulepreload" href="dashboard/chunks/${screen}-screen-\\w+\\.js"$`),
      );
    assert.deepEqual(await preloads("/workflows/..%2f..%2fx"), await preloads("/workflows/x"));
    assert.deepEqual(await preloads("/workflows/a/steps/b"), [], "no route fits");
    const sections = dashboardPathsOf({ dashboard: true } as Config);
    for (const path of ["/", "/sign-in", "/workflows", "/imports"]) assert.ok(sections.includes(path), path);
    for (const path of sections) assert.equal((await get(path)).status, 200, path);
  });

  test("moved: old paths of subscribers redirect, with what follows them and behind a prefix", async () => {
    const locationOf = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { redirect: "manual", headers });
      return [response.status, response.headers.get("location")];
    };
    assert.deepEqual(await locationOf("/people"), [301, "/subscribers"]);
    assert.deepEqual(await locationOf("/people/a%2Fb?tab=inbox&env=e"), [301, "/subscribers/a%2Fb?tab=inbox&env=e"]);
    const prefixed = await locationOf("/people/ada", { "x-forwarded-prefix": "/notify" });
    assert.deepEqual(prefixed, [301, "/notify/subscribers/ada"]);
    assert.deepEqual(await locationOf("/people", { accept: "application/json" }), [404, null]);
  });

  test("asks for the session beside the entry, where there is one", async () => {
    const preload = '<link rel="preload" as="fetch" crossorigin href="v1/auth/session">';
    assert.ok((await get("/activity", { cookie: "tidings_session=a.b" })).text.includes(preload));
    assert.ok(!(await get("/activity")).text.includes(preload));
    assert.ok(!(await get("/sign-in", { cookie: "tidings_session=a.b" })).text.includes(preload));
  });

  test("leaves unknown paths to the API", async () => {
    for (const path of [
      "/v1/activityy",
      "/v3/anything",
      "/activities",
      "/dashboard/nothing.js",
      "/dashboard/../../x",
    ]) {
      const { status, text } = await get(path);
      assert.equal(status, 404, path);
      assert.equal(JSON.parse(text).code, "ROUTE_NOT_FOUND");
    }
    const posted = await fetch(`${url}/activity`, { method: "POST" });
    assert.equal(posted.status, 405);
  });

  test("is for clients that accept HTML: others get the 404 of the API", async () => {
    for (const path of ["/", "/environments", "/environments/x?y=1", "/workflows/welcome"]) {
      const { status, headers, text } = await get(path, { accept: "application/json" });
      assert.equal(status, 404, path);
      assert.match(headers.get("content-type")!, /^application\/json/);
      const { code, message } = JSON.parse(text);
      assert.equal(code, "ROUTE_NOT_FOUND");
      assert.ok(!message.includes("?"));
      assert.equal((await get(path, { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" })).status, 200);
    }
    const answers: [accept: string | undefined, isPage: boolean][] = [
      [undefined, true],
      ["*/*", true],
      ["text/*;q=0.1", true],
      ["application/json, text/html;q=0.5", true],
      ["TEXT/HTML; charset=utf-8", true],
      ["*/*, text/html;q=0", false],
      ["text/html;q=0.0", false],
      ["application/json;q=1", false],
      ["text/plain", false],
      ["", false],
    ];
    for (const [accept, isPage] of answers) assert.equal(acceptsPage(accept), isPage, accept);
  });

  test("knows the folder that a proxy serves it in", async () => {
    const bases: [prefix: string, base: string][] = [
      ["/tidings", "/tidings/"],
      ["/a/b.c/", "/a/b.c/"],
      ["//elsewhere.example", "/"],
      ["https://elsewhere.example", "/"],
      ['/"><script>', "/"],
      ["/a/../b", "/"],
    ];
    for (const [prefix, base] of bases) {
      const { text } = await get("/activity", { "x-forwarded-prefix": prefix });
      assert.ok(text.includes(`<base href="${base}">`), prefix);
    }
  });

  test("has the colours that the person chose", async () => {
    const themeOf = async (cookie: string) => /data-theme="(\w+)"/.exec((await get("/", { cookie })).text)?.[1];
    assert.equal(await themeOf("a=b; tidings_theme=dark"), "dark");
    assert.equal(await themeOf("tidings_theme=light; a=b"), "light");
    assert.equal(await themeOf('tidings_theme="><script>'), "system");
  });

  test("names files that never change, compressed", async () => {
    const { text } = await get("/");
    const names = [...text.matchAll(/(?:src|href)="(dashboard\/[^"]+)"/g)].map(([, name]) => name);
    assert.ok(names.length >= 2);
    for (const name of names) {
      const { status, headers } = await get(`/${name}`, { "accept-encoding": "gzip" });
      assert.deepEqual([status, headers.get("cache-control")], [200, "public, max-age=31536000, immutable"]);
      assert.equal(headers.get("content-encoding"), "gzip");
      const smaller = await get(`/${name}`, { "accept-encoding": "gzip, deflate, br, zstd" });
      assert.equal(smaller.headers.get("content-encoding"), "br");
    }
  });

  test("comes with the licences of what its files contain", async () => {
    const { status, headers, text } = await get("/dashboard/NOTICE.txt");
    assert.deepEqual([status, headers.get("cache-control")], [200, "public, max-age=300, must-revalidate"]);
    for (const name of ["react", "@base-ui/react", "@codemirror/state", "@tanstack/react-router", "@xyflow/react"]) {
      assert.match(text, new RegExp(`^${name} \\S+ \\(MIT\\), source: `, "m"));
    }
    assert.match(text, /Copyright \(c\) Meta Platforms/);
    const server = readFileSync(join(import.meta.dirname, "../../dist/NOTICE.txt"), "utf8");
    assert.match(server, /^fastify \S+ \(MIT\), source: /m);
  });

  test("shows html of messages in a frame with a policy of its own", async () => {
    const { headers } = await get("/dashboard/frame");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'self'/);
    assert.doesNotMatch(policy, /script-src/);
  });
});

/** A browser opens six connections to an address, so this many are four rounds. */
const maxFiles = 24;
/** The editor shares parts with many screens: six rounds; half of its files are smaller than 1 kB. */
const maxEditorFiles = 34;

type BuiltFile = { gzip: number; entryPoint?: string; css?: string; imports: string[] };

test("what a browser loads stays within its budget", () => {
  const list = join(import.meta.dirname, "../../../dashboard/dist/files.json");
  const files = new Map(Object.entries(JSON.parse(readFileSync(list, "utf8")) as Record<string, BuiltFile>));
  const fileOf = (source: string) => [...files].find(([, { entryPoint }]) => entryPoint === source)![0];
  const reach = (name: string, seen: Set<string>): Set<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const next of files.get(name)!.imports) reach(next, seen);
    return seen;
  };
  const entry = fileOf("src/main.tsx");
  const styles = files.get(entry)!.css!;
  const loadOf = (...sources: string[]) => {
    const seen = new Set<string>([styles]);
    for (const source of ["src/main.tsx", ...sources]) reach(fileOf(source), seen);
    return { count: seen.size, size: [...seen].reduce((sum, name) => sum + files.get(name)!.gzip, 0) };
  };
  const budgets: [what: string, load: { count: number; size: number }, limit: number, most?: number][] = [
    ["the shell", loadOf(), 200_000],
    ["activity", loadOf("src/screens/activity/activity-screen.tsx"), 240_000],
    ["a run", loadOf("src/screens/activity/run-screen.tsx"), 240_000],
    ["home", loadOf("src/screens/home/home-screen.tsx"), 240_000],
    ["subscribers", loadOf("src/screens/subscribers/subscribers-screen.tsx"), 240_000],
    ["a subscriber", loadOf("src/screens/subscribers/subscriber-screen.tsx"), 240_000],
    ["integrations", loadOf("src/screens/integrations/integrations-screen.tsx"), 240_000],
    ["an integration", loadOf("src/screens/integrations/integration-screen.tsx"), 240_000],
    ["the editor", loadOf("src/screens/workflows/editor/editor-screen.tsx"), 248_000, maxEditorFiles],
    ["settings", loadOf("src/screens/settings/settings-screen.tsx"), 240_000],
    [
      "an email of blocks",
      loadOf("src/screens/workflows/editor/editor-screen.tsx", "src/email/editor/block-body.tsx"),
      350_000,
      maxEditorFiles,
    ],
  ];
  for (const [what, { count, size }, limit, most = maxFiles] of budgets) {
    assert.ok(size <= limit, `${what}: ${size} bytes, ${limit} are allowed`);
    assert.ok(count <= most, `${what}: ${count} files, ${most} are allowed`);
  }
});
