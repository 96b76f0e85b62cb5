// Content of the page's own in <tidings-inbox>, by functions of the element and in JSX, and what a row shows and does
// automatically.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";
import { countStreams, openHost, servePages } from "./host-page.ts";
import { bundlePage, pageOf } from "./react-page.ts";

const service = await startTestService();
const { client, url } = service;
const body = "{{ payload.text | raw }}";
await createWorkflow(client, "plain", [inApp({ body, disableOutputSanitization: true })], {
  name: "Name of the workflow",
});
await createWorkflow(client, "note", [inApp({ subject: "{{ payload.title }}", body })], { name: "Notes" });
const answers = { primaryAction: { label: "Approve" }, secondaryAction: { label: "Decline" } };
await createWorkflow(client, "ask", [
  inApp({ subject: "{{ payload.title }}", body, redirect: { url: "/there" }, ...answers }),
]);
const look = { label: "Look", redirect: { url: "/look" } };
await createWorkflow(client, "look", [
  inApp({ subject: "{{ payload.title }}", body, ...answers, secondaryAction: look }),
]);

const note = (to: string, title: string) => trigger(client, "note", to, { title, text: `About ${title}` });
const row = (page: Page, title: string) => page.locator(".item", { hasText: title });
const stored = async (subscriberId: string) =>
  (await client("subscriberNotifications.list", { params: { subscriberId } })).body.data;

/** What runs in the page: the types of browsers are not loaded here. */
const inPage = <T>(page: Page, code: string): Promise<T> =>
  page.evaluate(`(async () => { const element = document.querySelector("tidings-inbox"); ${code} })()`) as Promise<T>;

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function expectAccessible(page: Page): Promise<void> {
  await page.addScriptTag({ path: axeSource });
  const found = await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))",
  );
  assert.deepEqual(found, []);
}

const stopNavigation = `globalThis.seen = []; addEventListener("navigate", (event) => {
  seen.push(event.detail.url); event.preventDefault();
});`;

browserTest("without a subject, the body is the message, and its links can be followed", async (context) => {
  await trigger(client, "plain", "ada", { text: "<p>Invoice <b>4711</b></p><p>is ready</p>" });
  await trigger(client, "plain", "ada", { text: "Parcel sent. <a href='/track'>Track it</a>" });
  const page = await openHost(context, service, "ada");
  const invoice = row(page, "4711");
  await invoice.locator("b").waitFor();
  assert.equal(await page.getByText("Name of the workflow").count(), 0, "the workflow is not the message");
  await invoice.getByRole("button", { name: "Unread: Invoice 4711 is ready" }).click();
  await eventually(async () => (await stored("ada"))[1]?.isRead, "a click marks as read");

  await expectAccessible(page);

  const parcel = row(page, "Parcel");
  await parcel.getByRole("button", { name: "Unread: Parcel sent. Track it", exact: true }).waitFor();
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    parcel.getByRole("link", { name: "Track it" }).click(),
  ]);
  assert.match(popup.url(), /\/track$/, "the link is above the button that covers the row");
  assert.equal((await stored("ada"))[0]?.isRead, false, "a link is not the row");
  const [text, time] = [await parcel.locator(".body").boundingBox(), await parcel.locator("time").boundingBox()];
  assert.ok(Math.abs(text!.y - time!.y) < 6, "the text begins in the first line");
});

browserTest(
  "the first press of a button settles the message; a link can be followed before and after",
  async (context) => {
    await trigger(client, "ask", "bea", { title: "Leave?", text: "Two days" });
    await trigger(client, "look", "bea", { title: "Offer", text: "Have a look" });
    const page = await openHost(context, service, "bea");
    await page.evaluate(stopNavigation);
    const [approve, decline] = ["Approve", "Decline"].map((name) =>
      row(page, "Leave?").getByRole("button", { name, exact: true }),
    );
    await approve!.waitFor();
    // Both in one turn, before anything is drawn again.
    await inPage(
      page,
      `const all = element.shadowRoot.querySelectorAll(".action");
    const named = (name) => [...all].find(({ textContent }) => textContent === name);
    named("Decline").click(); named("Approve").click();`,
    );
    await eventually(
      async () => (await stored("bea")).find(({ subject }) => subject === "Leave?")?.isRead,
      "it counts as read",
    );
    const leave = (await stored("bea")).find(({ subject }) => subject === "Leave?")!;
    assert.deepEqual([leave.primaryAction?.isCompleted, leave.secondaryAction?.isCompleted], [false, true]);
    assert.ok(await approve!.isDisabled());
    assert.equal(await decline!.getAttribute("aria-pressed"), "true");

    const offer = row(page, "Offer");
    await offer.getByRole("link", { name: "Look" }).click();
    await offer.getByRole("button", { name: "Approve" }).click();
    await eventually(
      async () => (await stored("bea")).find(({ subject }) => subject === "Offer")?.primaryAction?.isCompleted,
      "approved",
    );
    await offer.getByRole("link", { name: "Look" }).click();
    assert.deepEqual(await page.evaluate("seen"), ["/look", "/look"]);
    const settled = (await stored("bea")).find(({ subject }) => subject === "Offer")!;
    assert.equal(settled.primaryAction?.isCompleted, true, "following the link has not replaced the answer");
  },
);

browserTest("own rows: one for each message, however often the functions and words are set", async (context) => {
  for (const title of ["One", "Two", "Three"]) await note("cleo", title);
  await trigger(client, "ask", "cleo", { title: "Four", text: "?" });
  const page = await openHost(context, service, "cleo");
  await row(page, "Four").waitFor();
  await page.evaluate(stopNavigation);
  await inPage(
    page,
    `globalThis.removed = 0;
    globalThis.render = () => (notification, mount) => {
      if (notification.subject === "Two") return null;
      mount.onRemove(() => removed++);
      const line = Object.assign(document.createElement("p"), { className: "mine" });
      line.innerHTML = '<span></span> <button>Done</button>';
      line.firstChild.textContent = "My " + notification.subject + (notification.isRead ? ", read" : "");
      line.lastChild.onclick = () => element.inbox.archive(notification.id);
      return line;
    };
    for (let count = 0; count < 4; count++) {
      element.renderItem = render();
      element.labels = { markAllRead: "Alles " + count };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }`,
  );
  const mounts = () => inPage<number>(page, "return element.children.length");
  await page.getByRole("button", { name: "Alles 3" }).waitFor();
  assert.equal(await page.locator(".mine").count(), 3);
  assert.equal(await mounts(), 3);
  assert.equal(await page.evaluate("removed"), 9, "three renderings were replaced");
  await row(page, "Two").locator(".subject").waitFor();
  assert.equal(await row(page, "Two").locator(".mine").count(), 0, "null leaves the row to the widget");
  const own = page.locator(".item.own");
  assert.equal(
    await own.locator(".subject, .time, .tools, .dot").count(),
    0,
    "nothing of the widget is beside an own row",
  );

  await expectAccessible(page);

  // A click on the row opens the message, one on a button in it does not.
  await page.locator(".mine", { hasText: "Four" }).locator("span").click();
  await page.locator(".mine", { hasText: "My Four, read" }).waitFor();
  assert.deepEqual(await page.evaluate("seen"), ["/there"]);
  await page.locator(".mine", { hasText: "Three" }).getByRole("button").click();
  await page.locator(".mine", { hasText: "Three" }).waitFor({ state: "detached" });
  assert.equal(await mounts(), 2);
  await own.first().locator(".main").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".mine", { hasText: "My One, read" }).waitFor();

  // Focus inside an own row stays there while the list is drawn again.
  await page.locator(".mine", { hasText: "My Four" }).getByRole("button").focus();
  await note("cleo", "Five");
  await page.locator(".mine", { hasText: "Five" }).waitFor();
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Done");

  await inPage(page, "element.renderItem = null;");
  await row(page, "One").locator(".subject").waitFor();
  assert.equal(await mounts(), 0);
  await inPage(page, "element.renderItem = render();");
  await page.locator(".mine", { hasText: "Five" }).waitFor();
  await inPage(page, "globalThis.kept = element; element.remove();");
  await eventually(async () => (await page.evaluate("kept.children.length")) === 0, "nothing is left in the element");
  await inPage(page, "document.body.append(kept); kept.show();");
  await page.locator(".mine", { hasText: "Five" }).waitFor();
  assert.equal(await page.locator(".mine").count(), 3);
});

browserTest("own rows come and go with the rows that the list draws", async (context) => {
  for (let count = 0; count < 60; count++) await note("fay", `Row ${count}.`);
  const page = await openHost(context, service, "fay", { attributes: 'page-size="100"' });
  await inPage(
    page,
    `globalThis.made = globalThis.removed = 0;
    element.renderItem = ({ subject }, mount) => {
      made++;
      mount.onRemove(() => removed++);
      return Object.assign(document.createElement("p"), { textContent: "My " + subject });
    };`,
  );
  await page.getByText("My Row 59.").waitFor();
  await page.locator(".scroller").hover();
  await eventually(async () => {
    await page.mouse.wheel(0, 600);
    return page.getByText("My Row 0.").isVisible();
  }, "the oldest row");
  await eventually(async () => {
    const [rows, mounts] = [
      await page.locator(".item.own").count(),
      await inPage<number>(page, "return element.children.length"),
    ];
    return rows === mounts && (await page.evaluate("made - removed")) === mounts;
  }, "as much content as rows");
  assert.equal(await page.locator(".item:not(.own)").count(), 0);
});

browserTest("own parts: subject, body, avatar, actions, bell, header and the empty list", async (context) => {
  await trigger(client, "ask", "dora", { title: "Parts", text: "Text" });
  const page = await openHost(context, service, "dora", { isOpened: false, hasErrors: true });
  await inPage(
    page,
    `const link = (text) => Object.assign(document.createElement("a"), { href: "#" + text, textContent: text });
    Object.assign(element, {
      renderSubject: ({ subject }) => subject.toUpperCase(),
      renderBody: () => link("body-link"),
      renderAvatar: () => "AV",
      renderActions: ({ primaryAction }) => Object.assign(document.createElement("button"), { textContent: "Own " + primaryAction.label }),
      renderBell: (counts) => "Unread: " + (counts?.total ?? "?"),
      renderEmpty: (view) => "Nothing in " + view,
      renderHeader: ({ view, setView, openPreferences, close }) => {
        const header = document.createElement("nav");
        header.append(view + " ", ...Object.entries({ Archive: () => setView("archived"), Settings: openPreferences, Shut: close })
          .map(([textContent, onclick]) => Object.assign(document.createElement("button"), { textContent, onclick })));
        return header;
      },
    });`,
  );
  await page.getByText("Unread: 1", { exact: true }).click();
  assert.ok(await page.locator(".badge").isHidden(), "an own bell shows the count in its own way");
  await page.getByText("PARTS", { exact: true }).waitFor();
  await page.getByText("AV", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Own Approve" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Decline" }).count(), 0);
  await page.getByRole("link", { name: "body-link" }).click();
  assert.match(page.url(), /#body-link$/, "links in own parts work");
  assert.equal((await stored("dora"))[0]?.isRead, false);
  assert.ok(await page.getByRole("button", { name: "Show: Inbox" }).isHidden(), "the header is replaced");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Archive", exact: true }).first().click();
  await page.getByText("Nothing in archived").waitFor();
  assert.ok(await page.getByText("The archive is empty").isHidden());
  await page.getByText("archived Archive").waitFor();
  await page.getByRole("button", { name: "Shut" }).click();
  await page.locator("#panel").waitFor({ state: "hidden" });

  // A function that fails loses its place, and nothing else.
  await inPage(page, `element.renderItem = () => { throw new Error("mine"); }; await element.show();`);
  await page.getByText("Nothing in archived").waitFor();
});

const reactApp = `
import { Inbox, useInbox } from "@tidings/inbox/react";
import { createContext, StrictMode, useContext, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

const Word = createContext("none");

function Line({ notification }) {
  const word = useContext(Word);
  const inbox = useInbox();
  const [count, setCount] = useState(0);
  return (
    <p className="line">
      {word} {notification.subject}{notification.isRead && ", read"}
      <button onClick={() => setCount(count + 1)}>Count {count}</button>
      <button onClick={() => inbox.read(notification.id)}>Read</button>
    </p>
  );
}

function App() {
  const [renders, setRenders] = useState(1);
  const [isThere, setThere] = useState(true);
  const [hasRows, setRows] = useState(true);
  const inbox = useRef(null);
  return (
    <Word.Provider value={"word" + renders}>
      <button onClick={() => setRenders((count) => count + 1)}>Render</button>
      <button onClick={() => setThere(false)}>Leave</button>
      <button onClick={() => setRows(!hasRows)}>Rows</button>
      <button onClick={() => inbox.current.show()}>Open</button>
      <button onClick={() => inbox.current.hide()}>Close</button>
      {isThere && (
        <Inbox
          ref={inbox}
          url="${url}"
          applicationIdentifier="development"
          subscriberId="emma"
          placement="bottom-end"
          offset={12}
          labels={{ markAllRead: "All " + renders }}
          renderBell={(counts) => <b>{renders}/{counts?.total}</b>}
          renderItem={hasRows ? (notification) =>
            notification.subject === "Asked" ? null : <Line notification={notification} /> : undefined}
          onAction={(event) => { globalThis.acted = [event.detail.type, renders]; event.preventDefault(); }}
        />
      )}
    </Word.Provider>
  );
}
createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);
`;

browserTest("React: own content is JSX with the contexts of the page; nothing is doubled", async (context) => {
  for (const title of ["First", "Second"]) await note("emma", title);
  await trigger(client, "ask", "emma", { title: "Asked", text: "?" });
  const page = await openPage(context, await openBrowser(context));
  const sessions: string[] = [];
  page.on("request", (sent) => void (sent.url().endsWith("/inbox/session") && sessions.push(sent.method())));
  const script = await bundlePage({ contents: reactApp, loader: "jsx" });
  const markup = pageOf('<div id="app"></div><script type="module" src="/app.js"></script>');
  await page.goto(await servePages({ "/": markup, "/app.js": script }));
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await page.getByText("1/3", { exact: true }).waitFor();
  const element = page.locator("tidings-inbox");
  assert.deepEqual(
    [await element.getAttribute("placement"), await element.getAttribute("offset")],
    ["bottom-end", "12"],
  );
  await press("Open");
  const second = page.locator(".line", { hasText: "word1 Second" });
  await second.waitFor();
  await second.getByRole("button", { name: "Count" }).click();
  // Pressed from the page, since the open panel is closed by a press outside of it.
  await inPage(page, `for (let count = 0; count < 3; count++) document.querySelector("button").click();`);
  await page.locator(".line", { hasText: "word4 Second" }).waitFor();
  await page.getByRole("button", { name: "All 4" }).waitFor();
  assert.equal(await page.locator(".line").count(), 2);
  // The bell, and a place for each row: that of the row which React leaves to the widget is in no slot.
  assert.equal(await inPage(page, "return element.children.length"), 4);
  assert.equal(await inPage(page, `return element.querySelectorAll("[slot]:not([slot=''])").length`), 3);
  await page.locator(".line", { hasText: "Second" }).getByRole("button", { name: "Count 1" }).waitFor();

  await page.locator(".line", { hasText: "Second" }).getByRole("button", { name: "Read" }).click();
  await page.locator(".line", { hasText: "word4 Second, read" }).getByRole("button", { name: "Count 1" }).waitFor();
  await page.getByText("4/2", { exact: true }).waitFor();
  await row(page, "Asked").getByRole("button", { name: "Decline" }).click();
  assert.deepEqual(await page.evaluate("acted"), ["secondary", 4]);

  await note("emma", "Third");
  await page.locator(".line", { hasText: "Third" }).waitFor();
  assert.equal(await page.locator(".line").count(), 3);
  await inPage(
    page,
    `[...document.querySelectorAll("#app > button")].find((one) => one.textContent === "Rows").click();`,
  );
  await row(page, "Third").locator(".subject").waitFor();
  assert.equal(await page.locator(".line").count(), 0);
  await inPage(
    page,
    `[...document.querySelectorAll("#app > button")].find((one) => one.textContent === "Rows").click();`,
  );
  await page.locator(".line", { hasText: "Third" }).waitFor();
  await inPage(
    page,
    `[...document.querySelectorAll("#app > button")].find((one) => one.textContent === "Close").click();`,
  );
  await page.locator("#panel").waitFor({ state: "hidden" });
  assert.deepEqual(sessions, ["POST"], "one session");
  assert.equal(await countStreams(service), 1, "one stream");
  await press("Leave");
  await eventually(async () => (await page.locator("tidings-inbox, .line").count()) === 0, "nothing is left");
});
