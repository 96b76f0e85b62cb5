// The package as others install it: what is in it, its types in strict projects, and imports on a server. Nothing is
// fetched.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const root = join(import.meta.dirname, "../../..");
const project = mkdtempSync(join(tmpdir(), "tidings-inbox-"));
after(() => rmSync(project, { recursive: true, force: true }));

function run(command: string[], cwd: string): string {
  const [program, ...args] = command;
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${command.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

const npmScript = process.env.npm_execpath;
const npm = npmScript ? [process.execPath, npmScript] : ["npm"];
const node = (code: string) => run([process.execPath, "--input-type=module", "--eval", code], project);
const write = (name: string, text: string) => writeFileSync(join(project, name), text);

/** What a project for the package has: React with its types, and the package itself from its file. */
function install(): { path: string; size: number }[] {
  write("package.json", '{ "name": "customer", "version": "1.0.0", "private": true, "type": "module" }');
  const packed = run([...npm, "pack", "--json", "--pack-destination", project], join(root, "packages/inbox"));
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string; size: number }[] }];
  run([...npm, "install", "--offline", "--no-audit", "--no-fund", join(project, filename)], project);
  mkdirSync(join(project, "node_modules/@types"), { recursive: true });
  for (const name of ["react", "react-dom", "@types/react", "@types/react-dom"]) {
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "dir");
  }
  return files;
}

const files = install();

test("the package has scripts, declarations and licences, and nothing else", () => {
  for (const { path } of files) {
    assert.match(
      path,
      /^(package\.json|LICENSE|README\.md|dist\/NOTICE\.txt|dist\/[\w-]+\.js|dist\/types\/[\w/-]+\.d\.ts)$/,
    );
  }
  const size = files.reduce((sum, file) => sum + file.size, 0);
  assert.ok(size < 220_000, `${size} bytes`);
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(project, "node_modules/@tidings/inbox/package.json"), "utf8"),
  );
  assert.equal(dependencies, undefined, "everything it needs is in it");
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

/**
 * The settings of a new project of Vite, and those of a project that Node runs; the declarations of the package are
 * checked as well.
 */
const settings = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  noUnusedLocals: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  jsx: "react-jsx",
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
};

for (const [module, moduleResolution] of [
  ["esnext", "bundler"],
  ["node16", "node16"],
]) {
  test(`a strict project with moduleResolution ${moduleResolution} compiles against the package`, () => {
    write("app.tsx", application);
    write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...settings, module, moduleResolution }, files: ["app.tsx"] }),
    );
    run([process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", project], project);
  });
}

test("the examples for Angular and Next compile against the package", () => {
  const examples = join(root, "examples/inbox");
  for (const name of ["angular/src", "next/app"])
    cpSync(join(examples, name), join(project, name), { recursive: true });
  for (const name of ["@angular", "rxjs", "@types/node"]) {
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "dir");
  }
  write("css.d.ts", 'declare module "*.css";');
  const compilerOptions = {
    ...settings,
    // The declarations of Angular are not ours to check.
    skipLibCheck: true,
    experimentalDecorators: true,
    exactOptionalPropertyTypes: false,
    module: "esnext",
    moduleResolution: "bundler",
    types: ["node"],
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["css.d.ts", "angular", "next"] }));
  run([process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", project], project);
});

test("on a server the package can be imported and rendered, and it is a client component", () => {
  const react = readFileSync(join(project, "node_modules/@tidings/inbox/dist/react.js"), "utf8");
  assert.match(react, /^"use client";/);
  const html = node(`
    import "@tidings/inbox/element";
    import { createInbox } from "@tidings/inbox";
    import { Inbox, InboxProvider, useCounts } from "@tidings/inbox/react";
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    const Count = () => createElement("b", null, useCounts()?.total ?? "none");
    const inbox = createElement(Inbox, { placement: "top-end", renderItem: () => "row" }, createElement("i", { slot: "bell" }));
    const tree = createElement(InboxProvider, { url: "https://notify.example.com", subscriberId: "ada" }, inbox, createElement(Count));
    console.log(typeof createInbox, renderToString(tree));
  `);
  assert.equal(
    html.trim(),
    'function <tidings-inbox placement="top-end"><i slot="bell"></i></tidings-inbox><b>none</b>',
  );
});
