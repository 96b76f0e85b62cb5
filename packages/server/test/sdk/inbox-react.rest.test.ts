// The published widget of existing inboxes, @novu/react, unmodified in Chromium on a page of another origin, over both
// kinds of socket: what a person sees and clicks.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { InboxProps } from "@novu/react";
import { atEnd } from "@tidings/testkit/at-end";
import { browserTest, openBrowser, openPage, skipWithoutChromium } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { build } from "esbuild";
import type { BrowserContext, Page, WebSocket } from "playwright-core";

/** The widget as its documentation shows it, and the hooks next to it, with the settings of the address. */
const source = `
  import { Inbox, NovuProvider, useCounts, useNotifications, usePreferences } from "@novu/react";
  import { createRoot } from "react-dom/client";

  const { kind, ...settings } = JSON.parse(new URLSearchParams(location.search).get("settings"));

  function Hooks() {
    const { notifications = [], readAll } = useNotifications({ archived: false, snoozed: false });
    const { counts } = useCounts({ filters: [{ read: false }] });
    const { preferences = [] } = usePreferences();
    return (
      <main>
        <output id="count">{counts?.[0]?.count}</output>
        <output id="preferences">{preferences.map(({ level, workflow }) => workflow?.identifier ?? level).join()}</output>
        <ul>{notifications.map((one) => (
          <li key={one.id}>{one.body} {one.isRead ? "read" : "unread"}
            <button onClick={() => one.read()}>Read</button>
            <button onClick={() => one.unread()}>Unread</button>
            <button onClick={() => one.archive()}>Archive</button>
            <button onClick={() => one.snooze(new Date(Date.now() + 86_400_000).toISOString())}>Snooze</button>
          </li>
        ))}</ul>
        <button onClick={() => readAll()}>Read all</button>
      </main>
    );
  }
  createRoot(document.getElementById("root")).render(
    kind === "hooks" ? <NovuProvider {...settings}><Hooks /></NovuProvider> : <Inbox {...settings} />,
  );
`;

/** The page, on its own origin. */
async function servePage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: "tsx", resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: "iife", jsx: "automatic", logLevel: "silent" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = outputFiles[0]!.text;
  const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script src="/page.js"></script>`;
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    const type = isScript ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(isScript ? script : html);
  });
  return listen(server, () => server.closeAllConnections());
}

async function listen(server: ReturnType<typeof createTcpServer>, closeAll: () => void): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(async () => {
    closeAll();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The service behind a proxy that can break connections, for the sockets. */
async function startProxy(target: string) {
  const sockets = new Set<Socket>();
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { hostname, port } = new URL(target);
  const server = createTcpServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  return { url: await listen(server, dropAll), dropAll };
}

const pageUrl = skipWithoutChromium ? "" : await servePage();
const service = await startTestService();
const { client, url } = service;
const proxy = await startProxy(url);
await createWorkflow(
  client,
  "hello",
  [inApp({ subject: "Hi", body: "Hello {{ payload.n }}", primaryAction: { label: "Go", redirect: { url: "/go" } } })],
  { severity: "high", tags: ["news"] },
);

type SocketType = "self-hosted" | "cloud";

type Settings = Partial<Record<keyof InboxProps | "kind", unknown>>;

const addressOf = (subscriberId: string, socketType: SocketType, more: Settings = {}) => {
  const socketUrl = `${proxy.url.replace("http", "ws")}${socketType === "cloud" ? "/ws" : ""}`;
  const settings = { applicationIdentifier: "development", subscriber: { subscriberId }, backendUrl: url, socketUrl };
  const all = { ...settings, socketOptions: { socketType }, ...more };
  return `${pageUrl}/?settings=${encodeURIComponent(JSON.stringify(all))}`;
};

const send = (to: string, n: number | string) => trigger(client, "hello", to, { n });

/** What the API says of the inbox, by its text. */
const stored = async (subscriberId: string, query: object = {}) =>
  (await client("subscriberNotifications.list", { params: { subscriberId }, query: { limit: 50, ...query } })).body
    .data;

const rows = (page: Page) => page.locator(".nv-notification");
const row = (page: Page, text: string) => rows(page).filter({ hasText: text });
const dot = (page: Page) => page.locator(".nv-bellDot");
const pill = (page: Page) => page.locator(".nv-notificationListNewNotificationsNotice__button");

// A dropped connection is reported by the browser itself; a promise of the widget that a reload ends is none of ours.
const allow = /WebSocket connection|net::ERR_|Failed to load resource/;

/**
 * `connections`: how many sockets of the page have had their first counts. What is sent before those, a client reads
 * from its list.
 */
type Widget = Page & { connections(): number };

async function openWidget(context: TestContext, address: string, browser?: BrowserContext): Promise<Widget> {
  const page = await openPage(context, browser, { allow });
  const counted = new Set<WebSocket>();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes("unseen_count_changed")) counted.add(socket);
    }),
  );
  await page.goto(address);
  await page.locator(".nv-bellContainer, main").first().waitFor();
  return Object.assign(page, { connections: () => counted.size });
}

for (const socketType of ["self-hosted", "cloud"] as const) {
  browserTest(
    `the widget over a socket of type ${socketType}: bell, list, marks, live messages, pill, a dropped connection`,
    async (context) => {
      const ada = `ada-${socketType}`;
      await client("subscribers.create", { body: { subscriberId: ada } });
      const page = await openWidget(context, addressOf(ada, socketType));
      assert.equal(await dot(page).count(), 0);
      await eventually(() => page.connections() === 1, "the socket");
      await send(ada, 1);
      await dot(page).waitFor();
      await page.locator(".nv-bellContainer").click();
      await row(page, "Hello 1").waitFor();
      await row(page, "Go").waitFor();

      // Seen, because it is visible; read, because it is clicked.
      await eventually(async () => (await stored(ada))[0]!.isSeen, "the message to be seen");
      await send(ada, 2);
      await pill(page).waitFor();
      assert.match((await pill(page).textContent())!, /1 new notification/);
      await pill(page).click();
      await row(page, "Hello 2").waitFor();
      const press = async (text: string, button: string) => {
        await row(page, text).hover();
        await row(page, text).locator(`.nv-${button}__button`).click();
      };
      await press("Hello 1", "notificationRead");
      await eventually(async () => (await stored(ada, { read: true })).length === 1, "one to be read");
      await press("Hello 1", "notificationUnread");
      await eventually(async () => (await stored(ada, { read: true })).length === 0, "none to be read");
      await press("Hello 1", "notificationArchive");
      await row(page, "Hello 1").waitFor({ state: "detached" });
      await eventually(async () => (await stored(ada, { archived: true })).length === 1, "one to be archived");
      await press("Hello 2", "notificationSnooze");
      await page.locator(".nv-notificationSnooze__dropdownItem").first().click();
      await row(page, "Hello 2").waitFor({ state: "detached" });
      const [snoozed] = await eventually(async () => {
        const found = await stored(ada, { snoozed: true });
        return found.length === 1 ? found : null;
      }, "one to be snoozed");
      await dot(page).waitFor({ state: "detached" });
      const params = { subscriberId: ada, notificationId: snoozed!.id };
      await client("subscriberNotifications.unsnooze", { params });
      await dot(page).waitFor();

      proxy.dropAll();
      await eventually(() => page.connections() === 2, "a new connection", 30_000);
      await send(ada, 3);
      await eventually(
        async () => (await pill(page).count()) + (await row(page, "Hello 3").count()) > 0,
        "the message after the reconnection",
      );
    },
  );
}

browserTest("preferences are changed in the widget", async (context) => {
  const page = await openWidget(context, addressOf("pia", "self-hosted"));
  await page.locator(".nv-bellContainer").click();
  await page.locator(".nv-preferences__button").click();
  const global = page.locator(".nv-workflowContainer").first();
  await global.click();
  await page
    .locator(".nv-channelContainer, .nv-channelSwitch")
    .first()
    .locator("label, input, [role=switch]")
    .first()
    .click();
  const channels = async () =>
    (await client("subscribers.retrievePreferences", { params: { subscriberId: "pia" } })).body.global.channels;
  await eventually(async () => Object.values(await channels()).includes(false), "a channel to be off");
});

browserTest("hooks: list, counts and marks, live", async (context) => {
  await client("subscribers.create", { body: { subscriberId: "hal" } });
  await send("hal", 1);
  const page = await openWidget(context, addressOf("hal", "cloud", { kind: "hooks" }));
  await eventually(() => page.connections() === 1, "the socket");
  const item = (text: string) => page.locator("li").filter({ hasText: text });
  const count = (n: number) => page.locator("#count", { hasText: new RegExp(`^${n}$`) }).waitFor();
  await item("Hello 1 unread").waitFor();
  await page.locator("#preferences", { hasText: /^global,.*hello/ }).waitFor();
  await send("hal", 2);
  await item("Hello 2 unread").waitFor();
  await count(2);
  await item("Hello 1").getByText("Read", { exact: true }).click();
  await item("Hello 1 read").waitFor();
  await count(1);
  await item("Hello 1").getByText("Unread").click();
  await item("Hello 1 unread").waitFor();
  await item("Hello 1").getByText("Snooze").click();
  await eventually(async () => (await stored("hal", { snoozed: true })).length === 1, "one to be snoozed");
  await item("Hello 2").getByText("Archive").click();
  await item("Hello 2").waitFor({ state: "detached" });
  await count(0);
});

browserTest(
  "two tabs of one browser share a connection, and both show what is new and what was read",
  async (context) => {
    await client("subscribers.create", { body: { subscriberId: "twin" } });
    const browser = await openBrowser(context);
    const address = addressOf("twin", "self-hosted");
    const first = await openWidget(context, address, browser);
    await eventually(() => first.connections() === 1, "the socket");
    const second = await openWidget(context, address, browser);
    await send("twin", 1);
    for (const page of [first, second]) await dot(page).waitFor();
    assert.equal(second.connections(), 0, "the second tab has no connection of its own");
    await first.locator(".nv-bellContainer").click();
    await row(first, "Hello 1").waitFor();
    const { data: read } = { data: await stored("twin") };
    await client("subscriberNotifications.markRead", { params: { subscriberId: "twin", notificationId: read[0]!.id } });
    for (const page of [first, second]) await dot(page).waitFor({ state: "detached" });
    // The tab that holds the connection is closed: the other one takes over.
    await first.close();
    await send("twin", 2);
    await dot(second).waitFor();
  },
);
