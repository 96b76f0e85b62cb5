// Loads the user interface when it is asked for.

/**
 * Defines `<tidings-inbox>`. This loads the user interface: a page that only uses `createInbox` does not load it.
 * An element without `url` talks to the service that this module came from.
 */
export async function defineInbox(): Promise<void> {
  (await import("./define-element.ts")).defineElement();
}

/**
 * Defines `<tidings-toast>`, which shows new messages from the page's `<tidings-inbox>` elements or from its own inbox.
 */
export async function defineToast(): Promise<void> {
  await import("./toast/toast.ts");
}
