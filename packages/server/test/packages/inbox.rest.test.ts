// The package of the inbox as others install it: its types in strict projects, imports on a server, and the element in
// a browser. Nothing is fetched.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { build } from "esbuild";
import { servePages } from "../inbox/host-page.ts";
import { pageOf } from "../inbox/react-page.ts";
import { openProject, root, tarballOf } from "./project.ts";

const project = openProject({ type: "module" });
await project.npm("install", "--offline", tarballOf("inbox").path);
project.link("react", "react-dom", "@types/react", "@types/react-dom");

test("React is needed by those who use it", () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(
    project.read("node_modules/@tidings/inbox/package.json"),
  );
  assert.deepEqual(Object.keys(peerDependencies), ["react", "react-dom"]);
  for (const name of Object.keys(peerDependencies)) assert.equal(peerDependenciesMeta[name].optional, true, name);
});

const application = `
import "@tidings/inbox/element";
import { createInbox, defineInbox, type InboxNotification, type SlotRenderer, type TidingsInboxElement } from "@tidings/inbox";
import { Inbox, InboxProvider, useCounts, useInbox, useNotifications, type InboxProps } from "@tidings/inbox/react";
import { useRef, type ReactElement } from "react";

const client = createInbox({ url: "https://notify.example.com", applicationIdentifier: "development", subscriberId: "ada" });
export const subjects: (string | undefined)[] = client.getState().notifications.map(({ subject }) => subject);
void defineInbox();

const element = document.querySelector("tidings-inbox")!;
const row: SlotRenderer<InboxNotification> = (notification, mount) => {
  mount.onRemove(() => {});
  mount.onUpdate((next) => next.isRead);
  return notification.subject ? mount.element : null;
};
element.renderItem = row;
element.renderBell = (counts) => String(counts?.total ?? 0);
element.renderHeader = ({ view, setView }) => (setView("archived"), view);
element.show();
// @ts-expect-error A number is not a content.
element.renderBody = () => 4;

function Row({ notification }: { notification: InboxNotification }) {
  return <button onClick={() => void useInbox()?.archive(notification.id)}>{notification.subject}</button>;
}

export function App(props: InboxProps): ReactElement {
  const inbox = useRef<TidingsInboxElement>(null);
  const counts = useCounts();
  const { notifications, phase } = useNotifications();
  return (
    <InboxProvider url="https://notify.example.com" token="…">
      <h1 onClick={() => inbox.current?.show()}>{counts?.total ?? 0} of {notifications.length} {phase}</h1>
      <Inbox
        {...props}
        ref={inbox}
        placement="bottom-end"
        offset={8}
        labels={{ title: "Meldungen", views: { inbox: "Eingang" } }}
        renderItem={(notification) => <Row notification={notification} />}
        renderEmpty={(view) => view === "archived" && <i>Nothing</i>}
        onAction={(event) => console.log(event.detail.type === "primary", event.detail.notification.id)}
        onNavigate={(event) => event.detail.url}
      />
      {/* @ts-expect-error There is no such place. */}
      <Inbox placement="left" />
    </InboxProvider>
  );
}
`;

const browser = { lib: ["es2022", "dom", "dom.iterable"], types: [], jsx: "react-jsx", noEmit: true };

for (const [module, moduleResolution] of [
  ["esnext", "bundler"],
  ["node16", "node16"],
]) {
  test(`a strict project with moduleResolution ${moduleResolution} compiles against the package`, async () => {
    project.write("app.tsx", application);
    await project.compile({ ...browser, module, moduleResolution }, ["app.tsx"]);
  });
}

test("the examples for Angular and Next compile against the package", async () => {
  for (const name of ["angular/src", "next/app"])
    cpSync(join(root, "examples/inbox", name), join(project.folder, name), { recursive: true });
  project.link("@angular", "rxjs", "@types/node");
  project.write("css.d.ts", 'declare module "*.css";');
  const options = {
    ...browser,
    // The declarations of Angular are not ours to check.
    skipLibCheck: true,
    experimentalDecorators: true,
    exactOptionalPropertyTypes: false,
    module: "esnext",
    moduleResolution: "bundler",
    types: ["node"],
  };
  await project.compile(options, ["css.d.ts", "angular/src/main.ts", "next/app/page.tsx", "next/app/layout.tsx"]);
});

test("on a server the package can be imported and rendered, and it is a client component", async () => {
  const react = project.read("node_modules/@tidings/inbox/dist/react.js");
  assert.match(react, /^"use client";/);
  const program = `
    import "@tidings/inbox/element";
    import { createInbox } from "@tidings/inbox";
    import { Inbox, InboxProvider, useCounts } from "@tidings/inbox/react";
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    const Count = () => createElement("b", null, useCounts()?.total ?? "none");
    const inbox = createElement(Inbox, { placement: "top-end", renderItem: () => "row" }, createElement("i", { slot: "bell" }));
    const tree = createElement(InboxProvider, { url: "https://notify.example.com", subscriberId: "ada" }, inbox, createElement(Count));
    console.log(typeof createInbox, renderToString(tree));
  `;
  const html = await project.node("--input-type=module", "--eval", program);
  assert.equal(
    html.trim(),
    'function <tidings-inbox placement="top-end"><i slot="bell"></i></tidings-inbox><b>none</b>',
  );
});

browserTest("a bundled page shows the element with the messages of a subscriber", async (context) => {
  const { client, url } = await startTestService();
  await createWorkflow(client, "note", [inApp({ subject: "{{ payload.title }}", body: "Text" })]);
  await trigger(client, "note", "ada", { title: "From a package" });
  const { outputFiles } = await build({
    stdin: { contents: 'import "@tidings/inbox/element";', resolveDir: project.folder },
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "/",
    write: false,
    logLevel: "error",
  });
  const scripts = Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
  const attributes = `url="${url}" application-identifier="development" subscriber-id="ada"`;
  const markup = pageOf(`<tidings-inbox ${attributes}></tidings-inbox><script type="module" src="/stdin.js"></script>`);
  const page = await openPage(context, await openBrowser(context));
  await page.goto(await servePages({ "/": markup, ...scripts }));
  await page.locator(".bell").click();
  await page.getByText("From a package").waitFor();
});
