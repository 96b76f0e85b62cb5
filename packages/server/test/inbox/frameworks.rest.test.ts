// The applications of examples/inbox, compiled by the compilers of their frameworks and opened in a real Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { build, type Plugin } from "esbuild";
import { compile as compileSvelte } from "svelte/compiler";
import { compileScript, compileStyle, parse as parseVue } from "vue/compiler-sfc";
import { servePages } from "./host-page.ts";
import { bundlePage, inboxAlias, pageOf } from "./react-page.ts";

const service = await startTestService();
const { client, url } = service;
await createWorkflow(client, "note", [inApp({ subject: "{{ payload.title }}", body: "Text" })]);
const examples = join(import.meta.dirname, "../../../../examples/inbox");
const read = (path: string) => readFileSync(path, "utf8").replaceAll("http://localhost:3000", url);

/** Files of the examples talk to the service of this test. */
const sources: Plugin = {
  name: "sources",
  setup({ onLoad }) {
    onLoad({ filter: /examples.*\.tsx?$/ }, ({ path }) => ({
      contents: read(path),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};

const vue: Plugin = {
  name: "vue",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, ({ path: filename }) => {
      const id = `data-v-${filename.length}`;
      const { descriptor, errors } = parseVue(read(filename), { filename });
      assert.deepEqual(errors, []);
      const { isCustomElement } = vueSettings();
      const isScoped = descriptor.styles.some(({ scoped }) => scoped);
      const script = compileScript(descriptor, {
        id,
        inlineTemplate: true,
        templateOptions: { scoped: isScoped, compilerOptions: { isCustomElement } },
      });
      const styles = descriptor.styles.map(({ content, scoped }) => {
        const { code, errors } = compileStyle({ source: content, filename, id, scoped: Boolean(scoped) });
        assert.deepEqual(errors, []);
        return code;
      });
      const addStyle = `document.head.append(Object.assign(document.createElement("style"), { textContent: ${JSON.stringify(styles.join("\n"))} }));`;
      return { contents: `${script.content}\n${addStyle}`, loader: "ts" };
    });
  },
};

/** The one setting of vite.config.ts, exactly as written there. */
function vueSettings(): { isCustomElement: (tag: string) => boolean } {
  const [, prefix] = /isCustomElement: \(tag\) => tag\.startsWith\("([\w-]+)"\)/.exec(
    read(join(examples, "vue/vite.config.ts")),
  )!;
  return { isCustomElement: (tag) => tag.startsWith(prefix!) };
}

const svelte: Plugin = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path: filename }) => {
      const { js, warnings } = compileSvelte(read(filename), { filename, generate: "client", css: "injected" });
      assert.deepEqual(
        warnings.map(({ message }) => message),
        [],
      );
      return { contents: js.code, loader: "js" };
    });
  },
};

const nextEntry = `
import { createRoot } from "react-dom/client";
import { Notifications } from "./app/notifications.tsx";
createRoot(document.querySelector("#app")).render(<Notifications subscriberId="ada" />);`;

const applications: [name: string, root: string, contents: string, plugin: Plugin[]][] = [
  ["Vue", '<div id="app"></div>', 'import "./src/main.ts";', [vue]],
  ["Svelte", '<div id="app"></div>', 'import "./src/main.js";', [svelte]],
  // Compiled in the browser: the compiler for builds needs another TypeScript than this repository has.
  ["Angular", "<app-root></app-root>", 'import "@angular/compiler"; import "./src/main.ts";', []],
  ["Next", '<div id="app"></div>', nextEntry, []],
];

browserTest("the examples run: counts, own rows, live messages", async (context) => {
  const browser = await openBrowser(context);
  await trigger(client, "note", "ada", { title: "before" });
  for (const [index, [name, root, contents, plugins]] of applications.entries()) {
    const resolveDir = join(examples, name.toLowerCase());
    const script = await bundlePage({ contents, loader: "tsx", resolveDir, plugins: [...plugins, sources] });
    const page = await openPage(context, browser);
    const markup = pageOf(`${root}<script type="module" src="/app.js"></script>`);
    await page.goto(await servePages({ "/": markup, "/app.js": script }));
    await page.getByRole("heading", { name: `${index + 1} unread` }).waitFor();
    await page.locator(".bell").click();
    await page.getByText(`${name}: before`).waitFor();
    await trigger(client, "note", "ada", { title: `sent to ${name}` });
    await page.getByText(`${name}: sent to ${name}`).waitFor();
    await page.getByRole("heading", { name: `${index + 2} unread` }).waitFor();
    assert.equal(await page.getByText(`${name}: before`).count(), 1);
    await page.close();
  }
});

test("the pages of the Next example render on a server, with the hash and without the key", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { default as Page } from "./app/page.tsx"; export { default as Layout } from "./app/layout.tsx";`,
      loader: "tsx",
      resolveDir: join(examples, "next"),
    },
    alias: inboxAlias,
    external: ["react", "react-dom", "react/jsx-runtime"],
    loader: { ".css": "empty" },
    jsx: "automatic",
    platform: "node",
    format: "cjs",
    bundle: true,
    write: false,
    outdir: "out",
    logLevel: "error",
  });
  const require = createRequire(import.meta.url);
  const rendered = { exports: {} as { Page: () => unknown; Layout: (props: object) => unknown } };
  process.env.TIDINGS_API_KEY = "a-secret-key";
  new Function("require", "module", "exports", outputFiles[0]!.text)(require, rendered, rendered.exports);
  const { createElement } = require("react");
  const { renderToString } = require("react-dom/server");
  const { Page, Layout } = rendered.exports;
  const html: string = renderToString(createElement(Layout, null, createElement(Page)));
  delete process.env.TIDINGS_API_KEY;
  assert.match(html, /<h1>0<!-- --> unread<\/h1><tidings-inbox><\/tidings-inbox>/);
  assert.ok(!html.includes("a-secret-key"));
});
