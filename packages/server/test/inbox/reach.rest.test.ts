// What the widget reaches beyond its list, in a real Chromium: toasts, push in this browser, the title and a sound,
// words by language, custom dates, deletion, images, and where the panel is.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import type { BrowserContext, Page } from "playwright-core";
import { openHost, servePages } from "./host-page.ts";

const service = await startTestService();
const { client, url } = service;
const content = { subject: "{{ payload.title }}", body: "{{ payload.text }}" };
const push = { name: "Push", type: "push" as const, controlValues: { subject: "a", body: "b" } };
await createWorkflow(client, "note", [inApp(content), email()], { name: "Notes", tags: ["team"] });
await createWorkflow(client, "alarm", [inApp(content)], { name: "Alarms", tags: ["system"], severity: "high" });
await createWorkflow(client, "link", [inApp({ ...content, redirect: { url: "/orders/7" } }), push], { name: "Links" });
const html = { body: "{{ payload.text | raw }}", disableOutputSanitization: true };
await createWorkflow(client, "picture", [inApp({ ...html, subject: "Picture" })]);
await createWorkflow(client, "raw", [inApp(html)]);

const note = (to: string, title: string) => trigger(client, "note", to, { title, text: `About ${title}` });
const row = (page: Page, title: string) => page.locator(".item", { hasText: title });
const stored = async (subscriberId: string, query: object = {}) =>
  (await client("subscriberNotifications.list", { params: { subscriberId }, query: query as never })).body.data;
const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.addScriptTag({ path: axeSource });
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const pageOf = (body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Customer</title><link rel="icon" href="data:,"></head>
<body><main><h1>Customer</h1>${body}</main></body></html>`;

/** A page of a customer with its own origin. */
async function openCustomer(page: Page, body: string, files: Record<string, string> = {}): Promise<string> {
  const origin = await servePages({ "/": pageOf(body), ...files });
  await page.goto(origin);
  return origin;
}

/** The element's inbox receives changes. */
const live = (page: Page, name: string) =>
  eventually(
    () => page.evaluate(`document.querySelector("${name}").inbox?.getState().status === "live"`),
    "the live connection",
  );

const element = (subscriberId: string, attributes = "") =>
  `<script src="${url}/inbox.js" async></script>
<tidings-inbox application-identifier="development" subscriber-id="${subscriberId}" ${attributes}></tidings-inbox>`;
const toasts = (attributes = "") =>
  `<script type="module" src="${url}/inbox/toast.js"></script><tidings-toast ${attributes}></tidings-toast>`;

/** For `locator.evaluate`; the types of a browser are not part of the server's. */
const isFocused = (element: unknown): boolean => (element as { matches(selector: string): boolean }).matches(":focus");

browserTest("a message is deleted with an undo, and snoozed until a date of one's own by keyboard", async (context) => {
  for (const title of ["Late", "Gone", "Kept"]) await note("ada", title);
  const page = await openHost(context, service, "ada");
  const remove = async (title: string) => {
    await row(page, title).hover();
    await row(page, title).getByRole("button", { name: "Delete" }).click();
    await row(page, title).waitFor({ state: "detached" });
    await page.getByText("Deleted").waitFor();
  };
  await remove("Kept");
  await page.getByRole("button", { name: "Undo" }).click();
  await row(page, "Kept").waitFor();
  assert.equal(await page.locator("[role=menu]").count(), 0, "closed menus are not there");

  await row(page, "Late").hover();
  await row(page, "Late").getByRole("button", { name: "Snooze" }).focus();
  /** From the button, which has the focus, to the last entry of its menu. */
  const chooseOwnDate = async () => {
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "In an hour" }).waitFor();
    await page.keyboard.press("End");
    await eventually(() => page.getByRole("menuitem").last().evaluate(isFocused), "the last entry to have the focus");
    await page.keyboard.press("Enter");
  };
  await chooseOwnDate();
  const form = page.getByRole("dialog", { name: "Snooze" });
  const field = form.getByLabel("Snooze until");
  await field.waitFor();
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  // The panel stays, and the focus is back on the button.
  await eventually(
    () => row(page, "Late").getByRole("button", { name: "Snooze" }).evaluate(isFocused),
    "the focus to be back",
  );
  await chooseOwnDate();
  await field.waitFor();
  await field.fill("2020-01-01T10:00");
  await page.keyboard.press("Enter");
  await form.getByRole("alert").getByText("Choose a time between").waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const soon = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 30 * 60_000);
  const local = new Date(soon.getTime() - soon.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  await field.fill(local);
  await page.keyboard.press("Enter");
  await row(page, "Late").waitFor({ state: "detached" });
  await eventually(
    async () => (await stored("ada", { snoozed: true }))[0]?.snoozedUntil === soon.toISOString(),
    "the date",
  );

  await remove("Gone");
  // Left before the time for an undo is over: the deletion is sent.
  await page.goto("about:blank");
  await eventually(async () => (await stored("ada")).every(({ subject }) => subject !== "Gone"), "the deletion");
  assert.equal((await stored("ada")).length, 1);
});

browserTest("the panel keeps off its bell, and opens where the page wants it", async (context) => {
  const settings = { viewport: { width: 1000, height: 700 } };
  const attributes = 'style="position: fixed; left: 500px; top: 330px"';
  const page = await openHost(context, service, "bea", { settings, attributes });
  const boxes = async () => {
    const [bell, panel] = [await page.locator(".bell").boundingBox(), await page.locator("#panel").boundingBox()];
    return { bell: bell!, panel: panel! };
  };
  await eventually(async () => (await boxes()).panel.height < 330, "the panel to shrink");
  const middle = await boxes();
  assert.ok(middle.panel.y >= middle.bell.y + middle.bell.height && middle.panel.y + middle.panel.height <= 700);
  await page.keyboard.press("Escape");
  await page.locator("tidings-inbox").evaluate((host: unknown) => {
    const { setAttribute, style } = host as { setAttribute: (...given: string[]) => void; style: { top: string } };
    setAttribute.call(host, "placement", "top-start");
    setAttribute.call(host, "offset", "20");
    style.top = "640px";
  });
  await page.locator(".bell").click();
  await eventually(async () => {
    const { bell, panel } = await boxes();
    return Math.round(panel.y + panel.height) === Math.round(bell.y) - 20 && Math.round(panel.x) === Math.round(bell.x);
  }, "the panel above the bell, its start at that of the bell");
});

browserTest(
  "toasts: by severity, at most so many, paused by the pointer, closed by Escape, followed by a click",
  async (context) => {
    const browser = await openBrowser(context, { reducedMotion: "reduce" });
    const page = await openPage(context, browser);
    await openCustomer(page, element("cleo") + toasts('max="2" duration="3" placement="top-end"'));
    await page.locator(".bell").waitFor();
    const toast = (title: string) => page.locator(".toast", { hasText: title });
    await eventually(() => page.evaluate("customElements.get('tidings-toast') !== undefined"), "the element");
    await live(page, "tidings-inbox");
    await note("cleo", "One");
    await toast("One").waitFor();
    assert.equal(await toast("One").getAttribute("role"), "status");
    assert.match((await toast("One").textContent())!, /About One/);
    await toast("One").hover();
    await trigger(client, "alarm", "cleo", { title: "Fire", text: "Now" });
    await note("cleo", "Three");
    await page.getByRole("alert").getByText("Fire").waitFor();
    assert.deepEqual(await findBarriers(page), []);
    const since = Date.now();
    await eventually(() => Date.now() - since > 3_200, "the time of a toast to be over");
    assert.equal(await page.locator(".toast").count(), 2, "both wait for the pointer, and the third for a place");
    await toast("One").getByRole("button", { name: "Dismiss" }).click();
    await toast("Three").waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.move(10, 500);
    await page.locator(".toast").waitFor({ state: "detached" });

    // The page's router follows addresses; what was opened is read.
    await page.evaluate(
      `addEventListener("navigate", (event) => { globalThis.went = event.detail.url; event.preventDefault(); })`,
    );
    await trigger(client, "link", "cleo", { title: "Order", text: "Shipped" });
    await toast("Order").getByRole("link").click();
    assert.equal(await page.evaluate("globalThis.went"), "/orders/7");
    await eventually(async () => (await stored("cleo", { read: true })).length === 1, "the mark");
    await page.locator(".toast").waitFor({ state: "detached" });

    // Who has the list open sees it there.
    await page.locator(".bell").click();
    await note("cleo", "Seen");
    await row(page, "Seen").waitFor();
    assert.equal(await page.locator(".toast").count(), 0);
  },
);

browserTest("a toast with an inbox of its own, in a page that requires Trusted Types, in German", async (context) => {
  const page = await openPage(context, await openBrowser(context));
  const body = toasts(`application-identifier="development" subscriber-id="dora" lang="de" duration="0"`);
  await page.route(`${url}/host`, (route) =>
    route.fulfill({
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": "require-trusted-types-for 'script'; trusted-types tidings" },
      body: pageOf(body),
    }),
  );
  await page.goto(`${url}/host`);
  await live(page, "tidings-toast");
  await trigger(client, "raw", "dora", { text: "<p>Strict <b>page</b></p><script>alert(1)</script>" });
  await page.locator(".toast", { hasText: "Strict page" }).getByRole("button", { name: "Ausblenden" }).waitFor();
});

browserTest(
  "words come in the language of the page, those of the page win, and one file is loaded",
  async (context) => {
    const browser = await openBrowser(context, { timezoneId: "Europe/Berlin" });
    const page = await openPage(context, browser);
    const files: string[] = [];
    page.on("request", (sent) => files.push(sent.url().replace(/^.*\//, "")));
    await note("emma", "Hallo");
    await openCustomer(page, `${element("emma", 'lang="de-AT"')}`);
    await page.locator("tidings-inbox").evaluate((host) => Object.assign(host, { labels: { schedule: "Feierabend" } }));
    await page.getByRole("button", { name: "Benachrichtigungen, 1 ungelesen" }).click();
    await row(page, "Hallo").hover();
    await row(page, "Hallo").getByRole("button", { name: "Löschen" }).waitFor();
    assert.ok(!files.includes("later.js"), "preferences are loaded when they are opened");
    await page.getByRole("button", { name: "Einstellungen" }).click();
    await page.getByRole("heading", { name: "Feierabend" }).waitFor();
    await page.getByText("Zeitzone: Europe/Berlin.").waitFor();
    await page.getByRole("heading", { name: "Team" }).waitFor();
    await page.getByRole("heading", { name: "Sonstige" }).waitFor();
    assert.deepEqual(files.filter((name) => /^(ar|de|es|fr|it|ja|nl|pl|pt)-/.test(name)).length, 1);

    await page.getByRole("switch", { name: "Nur zu festgelegten Zeiten zustellen" }).click();
    await page.getByRole("button", { name: "Zeitraum hinzufügen, Montag" }).click();
    await page.getByLabel("Montag, 2, bis").fill("22:15");
    await page.getByLabel("Montag, 2, bis").blur();
    const read = async () =>
      (await client("subscribers.retrievePreferences", { params: { subscriberId: "emma" } })).body;
    await eventually(async () => {
      const hours = (await read()).global.schedule?.weeklySchedule?.monday?.hours;
      return hours?.length === 2 && hours[1]!.start === "07:00 PM" && hours[1]!.end === "10:15 PM";
    }, "both ranges");
    assert.deepEqual(await findBarriers(page), []);
  },
);

browserTest("the title has the count until all is read, and one of two tabs plays a sound", async (context) => {
  const browser = await openBrowser(context);
  await browser.addInitScript(`
    globalThis.sounds = 0;
    addEventListener("DOMContentLoaded", () => document.querySelector("tidings-inbox").addEventListener("sound", () => sounds++));`);
  const origin = await servePages({ "/": pageOf(element("fay", 'title-badge sound="default"')) });
  const pages = [await openPage(context, browser), await openPage(context, browser)];
  for (const page of pages) {
    await page.goto(origin);
    await page.locator("h1").click();
    await live(page, "tidings-inbox");
  }
  const [page] = pages as [Page];
  const titled = (wanted: string) => eventually(async () => (await page.title()) === wanted, `the title ${wanted}`);
  await note("fay", "Ring");
  await titled("(1) Customer");
  await page.evaluate("document.title = 'Orders'");
  await titled("(1) Orders");
  const played = async () => {
    const each = await Promise.all(pages.map((one) => one.evaluate("sounds") as Promise<number>));
    return each.reduce((sum, one) => sum + one, 0);
  };
  await eventually(async () => (await played()) > 0, "a sound");
  await client("subscriberNotifications.markAllRead", { params: { subscriberId: "fay" }, body: {} });
  await titled("Orders");
  assert.equal(await played(), 1);
});

browserTest(
  "images of listed hosts are shown, lazy and without a referrer; others are not asked for",
  async (context) => {
    const text = [
      '<p>Look <img src="https://cdn.example.com/a.png" alt="A chart" onerror="globalThis.hacked = 1" style="position: fixed"></p>',
      '<img src="https://img.example.org/b.png"><img src="http://cdn.example.com/c.png"><img src="https://evil.example/d.png">',
      '<img src="data:image/png;base64,AAAA"><img src="//cdn.example.com.evil.example/e.png"><img src="https://example.org/f.png">',
    ].join("");
    await trigger(client, "picture", "gina", { text });
    const browser = await openBrowser(context);
    const asked: string[] = [];
    await browser.route(/example\.(com|org)|evil\.example/, (route) => {
      asked.push(`${route.request().url()} ${route.request().headers().referer ?? "-"}`);
      return route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    });
    const page = await openPage(context, browser);
    const toAttributes = (all: unknown[]) =>
      (all as { attributes: Iterable<{ name: string; value: string }> }[]).map((image) =>
        Object.fromEntries([...image.attributes].map(({ name, value }) => [name, value])),
      );
    await openCustomer(page, element("gina", 'image-hosts="cdn.example.com, *.example.org"'));
    await page.locator(".bell").click();
    await page.locator(".item img").first().waitFor({ state: "attached" });
    assert.deepEqual(await page.locator(".item img").evaluateAll(toAttributes), [
      { loading: "lazy", referrerpolicy: "no-referrer", alt: "A chart", src: "https://cdn.example.com/a.png" },
      { loading: "lazy", referrerpolicy: "no-referrer", alt: "", src: "https://img.example.org/b.png" },
    ]);
    await eventually(() => asked.length === 2, "the images");
    assert.deepEqual(asked.toSorted(), ["https://cdn.example.com/a.png -", "https://img.example.org/b.png -"]);
    assert.equal(await page.evaluate("globalThis.hacked"), undefined);
  },
);

/** A push service is not reachable from here: subscriptions are created in the page, with real keys. */
const pushManager = `
  const make = async (options) => {
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const keys = { p256dh: text(await crypto.subtle.exportKey("raw", pair.publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) };
    const endpoint = "https://push.example.com/send/" + crypto.randomUUID();
    const unsubscribe = async () => { globalThis.subscription = null; return true; };
    const key = options.applicationServerKey;
    return { endpoint, options: { applicationServerKey: key.buffer }, toJSON: () => ({ endpoint, expirationTime: null, keys }), unsubscribe };
  };
  globalThis.subscription = null;
  PushManager.prototype.getSubscription = async () => globalThis.subscription;
  PushManager.prototype.subscribe = async (options) => (globalThis.subscription = await make(options));`;

async function openPush(page: Page, subscriberId: string, origin: string): Promise<void> {
  await page.goto(`${origin}${subscriberId}`);
  await page.locator(".bell").click();
  await page.getByRole("button", { name: "Preferences" }).click();
}

const pushFiles = {
  "/hera": pageOf(element("hera", 'worker="/worker.js"')),
  "/iris": pageOf(element("iris", 'worker="/worker.js"')),
  "/none": pageOf(element("hera")),
  "/worker.js": `importScripts("${url}/inbox/worker.js");`,
};

browserTest(
  "this browser is notified: permission, worker, subscription, a push that is shown, and off again",
  async (context) => {
    const origin = await servePages(pushFiles);
    const browser = await openBrowser(context, { needsWholeChromium: true });
    await browser.grantPermissions(["notifications"], { origin });
    await browser.addInitScript(pushManager);
    const page = await openPage(context, browser);
    await openPush(page, "hera", origin);
    const choice = page.getByRole("switch", { name: "Notify me in this browser" });
    const tokensOf = async (subscriberId: string) => {
      const { channels } = (await client("subscribers.retrieve", { params: { subscriberId } })).body;
      const tokens = channels?.find(({ providerId }) => providerId === "web-push")?.credentials.deviceTokens ?? [];
      return tokens.map((token) => (JSON.parse(token) as { endpoint: string }).endpoint);
    };
    const endpoint = () => page.evaluate("subscription?.endpoint ?? null");
    await choice.click();
    await eventually(() => choice.isChecked(), "the switch");
    assert.deepEqual(await tokensOf("hera"), [await endpoint()]);
    assert.deepEqual(await findBarriers(page), []);
    const deliver = await openWorker(browser, page, origin);
    await showPush(deliver, page);

    // Another subscriber at the same computer gets its own address; the one of before ends.
    const before = await endpoint();
    await page.evaluate("document.querySelector('tidings-inbox').setAttribute('subscriber-id', 'iris')");
    await page.getByRole("button", { name: "Preferences" }).or(choice).first().waitFor();
    if (await page.getByRole("button", { name: "Preferences" }).isVisible()) {
      await page.getByRole("button", { name: "Preferences" }).click();
    }
    await eventually(async () => !(await choice.isChecked()), "the switch of the other subscriber");
    await choice.click();
    await eventually(() => choice.isChecked(), "the switch");
    assert.notEqual(await endpoint(), before);
    assert.deepEqual(await tokensOf("iris"), [await endpoint()]);
    await choice.click();
    await eventually(async () => !(await choice.isChecked()) && (await tokensOf("iris")).length === 0, "it is off");
    assert.equal(await endpoint(), null);
    await withdrawUnseen(deliver, browser, page);
  },
);

type Deliver = (message: object) => Promise<unknown>;

/** Delivers pushes to the worker as the browser would. */
async function openWorker(browser: BrowserContext, page: Page, origin: string): Promise<Deliver> {
  const devtools = await browser.newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    }),
  );
  await devtools.send("ServiceWorker.enable");
  const registrationId = await registered;
  return (message) => {
    const data = JSON.stringify(message);
    return devtools.send("ServiceWorker.deliverPushMessage", { origin: origin.slice(0, -1), registrationId, data });
  };
}

const order = { title: "Order", body: "Shipped", data: { tidingsMessageId: "m1", url: "/orders/7" } };
const removal = (id: string) => ({
  title: "Notification withdrawn",
  data: { tidingsMessageId: id },
  tidings: { remove: id },
});

/** Finds pushes among the notifications: shown, replaced by one with the same tag, removed. */
async function showPush(deliver: Deliver, page: Page): Promise<void> {
  const shown = `navigator.serviceWorker.getRegistration("/worker.js").then((found) => found.getNotifications())
    .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`;
  const titles = async () => ((await page.evaluate(shown)) as { title: string }[]).map(({ title }) => title).sort();
  const shows = (...wanted: string[]) =>
    eventually(async () => isDeepStrictEqual(await titles(), wanted), `notifications: ${wanted}`);
  // A push reaches its worker at least once: one that a busy browser dropped is sent again, with the same tag.
  const push = async (message: object, ...wanted: string[]) => {
    for (let tries = 1; ; tries++) {
      await deliver(message);
      const isShown = async () => isDeepStrictEqual(await titles(), wanted);
      if (tries === 3) return shows(...wanted);
      if (await eventually(isShown, `notifications: ${wanted}`, 5_000).catch(() => false)) return;
    }
  };
  await push(order, "Order");
  assert.deepEqual(await page.evaluate(shown), [{ ...order, tag: "m1" }]);
  await push({ ...order, title: "Order, corrected", tag: "m1" }, "Order, corrected");
  await push({ title: "Parcel", body: "", data: { tidingsMessageId: "m2" } }, "Order, corrected", "Parcel");
  await deliver(removal("m1"));
  await shows("Parcel");
  await deliver(removal("m2"));
  await shows();
}

/** Without a page of the site, a removal leaves a quiet notification: browsers demand that every push shows one. */
async function withdrawUnseen(deliver: Deliver, browser: BrowserContext, page: Page): Promise<void> {
  await page.goto("about:blank");
  const [worker] = browser.serviceWorkers();
  const shown = `registration.getNotifications()
    .then((all) => all.map(({ title, tag, silent }) => ({ title, tag, silent })))`;
  const shows = (title: string, silent: boolean) =>
    eventually(
      async () => isDeepStrictEqual(await worker?.evaluate(shown), [{ title, tag: "m1", silent }]),
      `the notification: ${title}`,
    );
  await deliver(order);
  await shows("Order", false);
  await deliver(removal("m1"));
  await shows("Notification withdrawn", true);
}

browserTest(
  "the switch for this browser is there only where it can work, and says why it does not",
  async (context) => {
    const origin = await servePages(pushFiles);
    const browser = await openBrowser(context);
    await browser.addInitScript(`${pushManager}
    Object.defineProperty(Notification, "permission", { get: () => "default" });
    Notification.requestPermission = async () => globalThis.answer ?? "denied";`);
    const page = await openPage(context, browser);
    const choice = page.getByRole("switch", { name: "Notify me in this browser" });
    await openPush(page, "none", origin);
    await page.getByRole("heading", { name: "Quiet hours" }).waitFor();
    assert.equal(await choice.count(), 0, "without a worker");
    await openPush(page, "hera", origin);
    await choice.click();
    await page.getByText("Notifications from this site are blocked in your browser.").waitFor();
    assert.equal(await choice.isChecked(), false);
    await page.evaluate("globalThis.answer = 'default'");
    await choice.click();
    await page.getByText("Your browser was not given permission.").waitFor();
  },
);
