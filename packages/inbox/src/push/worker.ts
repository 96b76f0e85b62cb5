// The service worker of pages with push: shows a message, and opens its address when it is pressed. A worker has to
// come from the page's own origin, which serves a file with one line:
// importScripts("https://notify.example.com/inbox/worker.js").

type Message = { title?: unknown; body?: unknown; data?: Record<string, unknown>; [name: string]: unknown };
type Lasting = Event & { waitUntil(work: Promise<unknown>): void };
type Client = {
  url: string;
  visibilityState: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
};
type Shown = { tag: string; data?: Record<string, unknown>; close(): void };
type Scope = {
  addEventListener(name: string, listener: (event: never) => void): void;
  registration: {
    scope: string;
    showNotification(title: string, options: object): Promise<void>;
    getNotifications(): Promise<Shown[]>;
  };
  clients: {
    matchAll(options: object): Promise<Client[]>;
    openWindow(url: string): Promise<unknown>;
  };
};

const scope = globalThis as never as Scope;
/** Members of a push that become options of the notification. */
const passedOn = ["icon", "badge", "image", "lang", "dir", "silent", "requireInteraction"];

scope.addEventListener("push", (event: Lasting & { data: { json(): Message; text(): string } | null }) => {
  const message = readMessage(event.data);
  if (!message) return;
  const { title, body, data = {} } = message;
  const removed = (message.tidings as { remove?: unknown } | undefined)?.remove;
  if (typeof removed === "string") return event.waitUntil(withdraw(String(title ?? ""), removed));
  const options = {
    ...Object.fromEntries(passedOn.filter((name) => name in message).map((name) => [name, message[name]])),
    body: typeof body === "string" ? body : "",
    data,
    // A repeat replaces the first.
    tag: typeof message.tag === "string" ? message.tag : String(data.tidingsMessageId ?? ""),
  };
  event.waitUntil(scope.registration.showNotification(typeof title === "string" ? title : "", options));
});

scope.addEventListener(
  "notificationclick",
  (event: Lasting & { notification: { data?: Record<string, unknown>; close(): void } }) => {
    const { data } = event.notification;
    event.notification.close();
    // Messages of the site's own workers are not Tidings'.
    if (data && "tidingsMessageId" in data) event.waitUntil(open(addressOf(data)));
  },
);

/**
 * Removes the notification of a message. Browsers demand that every push shows something. Chrome checks at the end: a
 * visible page of the site or any notification of it is enough. So a quiet notification replaces that of the message,
 * and is closed where one of these is left.
 */
async function withdraw(title: string, id: string): Promise<void> {
  const { registration, clients } = scope;
  const isOfMessage = ({ data }: Shown): boolean => data?.tidingsMessageId === id;
  const tag = (await registration.getNotifications()).find(isOfMessage)?.tag || id;
  await registration.showNotification(title, { tag, silent: true, data: { tidingsMessageId: id } });
  const shown = await registration.getNotifications();
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const isEnough = windows.some(({ visibilityState }) => visibilityState === "visible");
  if (!isEnough && shown.every(isOfMessage)) return;
  for (const notification of shown.filter(isOfMessage)) notification.close();
}

/** Null for pushes of other senders that share the worker. */
function readMessage(data: { json(): Message } | null): Message | null {
  try {
    const message = data?.json();
    return message?.data && "tidingsMessageId" in message.data ? message : null;
  } catch {
    return null;
  }
}

/** `data.url` of the message; without one, the site. */
function addressOf({ url }: Record<string, unknown>): string {
  const { scope: site } = scope.registration;
  try {
    const address = new URL(typeof url === "string" ? url : "", site);
    return /^https?:$/.test(address.protocol) ? address.href : site;
  } catch {
    return site;
  }
}

/** In a window that already shows it, otherwise in a new one. */
async function open(address: string): Promise<void> {
  const windows = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find(({ url }) => url === address);
  await (shown ? shown.focus() : scope.clients.openWindow(address));
}
