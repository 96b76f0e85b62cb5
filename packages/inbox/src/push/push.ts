// Push to this browser: asks for permission, subscribes with the environment's key, and registers the subscription with
// the service. A browser has one subscription per worker. Another subscriber's subscription on the same computer is
// ended, not reused, so that nobody is shown somebody else's messages.
import type { Inbox } from "../client/create-inbox.ts";
import { trustedWorker } from "../ui/trusted.ts";

/** `none`: the environment has no push to browsers. */
export type PushState = "none" | "off" | "on" | "denied" | "dismissed";

type WebPush = { publicKey: string; browsers: string[] };

const rememberedName = "tidings-push";
const activationMs = 10_000;

/** Over plain HTTP, in private windows of some browsers and on phones outside of an installed app, there is no push. */
export const canPush = (): boolean =>
  globalThis.isSecureContext &&
  "serviceWorker" in navigator &&
  "PushManager" in globalThis &&
  "Notification" in globalThis;

export async function readPush(inbox: Inbox, worker: string): Promise<PushState> {
  const known = await readKey(inbox);
  if (!known) return "none";
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration(worker);
  const subscription = await registration?.pushManager.getSubscription();
  return subscription && known.browsers.includes(await hashOf(subscription.endpoint)) ? "on" : "off";
}

/** Called after a click: browsers only ask for permission then. */
export async function startPush(inbox: Inbox, worker: string): Promise<PushState> {
  const permission = await Notification.requestPermission();
  if (permission !== "granted") return permission === "denied" ? "denied" : "dismissed";
  const { pushManager } = await activate(await navigator.serviceWorker.register(trustedWorker(worker)));
  const known = await readKey(inbox);
  if (!known) return "none";
  const before = await pushManager.getSubscription();
  if (before) {
    const isKeyed = keyOf(before) === known.publicKey;
    const hash = await hashOf(before.endpoint);
    if (isKeyed && known.browsers.includes(hash)) return "on";
    if (!isKeyed && remembered() !== hash) throw new Error("The worker has a push subscription of another service");
    await before.unsubscribe();
  }
  const applicationServerKey = bytesOf(known.publicKey);
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  try {
    await inbox.request("/web-push/browsers", { method: "POST", body: subscription.toJSON() });
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
  remember(await hashOf(subscription.endpoint));
  return "on";
}

export async function stopPush(inbox: Inbox, worker: string): Promise<PushState> {
  const registration = await navigator.serviceWorker.getRegistration(worker);
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return "off";
  const hash = await hashOf(subscription.endpoint);
  // The push service refuses the address from now on, even where the request below does not arrive.
  await subscription.unsubscribe();
  await inbox.request(`/web-push/browsers/${hash}`, { method: "DELETE" });
  return "off";
}

async function readKey(inbox: Inbox): Promise<WebPush | null> {
  try {
    return (await inbox.request<{ data: WebPush }>("/web-push")).data;
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null;
    throw error;
  }
}

/** A worker has to be active before it can be subscribed. */
async function activate(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return registration;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The worker does not start")), activationMs);
    const check = () => {
      if (worker.state !== "activated" && worker.state !== "redundant") return;
      clearTimeout(timer);
      if (worker.state === "activated") resolve();
      else reject(new Error("The worker was refused"));
    };
    worker.addEventListener("statechange", check);
    check();
  });
  return registration;
}

/** The key of a subscription, in the service's notation. */
function keyOf({ options }: PushSubscription): string | null {
  if (!options?.applicationServerKey) return null;
  const text = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Storage may be blocked; a subscription with an earlier key is then not recognised as the subscriber's own.
function remembered(): string | null {
  try {
    return localStorage.getItem(rememberedName);
  } catch {
    return null;
  }
}
function remember(hash: string): void {
  try {
    localStorage.setItem(rememberedName, hash);
  } catch {}
}
