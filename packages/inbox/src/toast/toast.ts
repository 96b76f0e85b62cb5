// Defines <tidings-toast>, which talks to the service that this module came from unless it has a `url`. For `<script
// type="module">`, and loaded by `defineToast()`.
import { addressOfScript } from "../address.ts";
import type { InboxOptions } from "../client/types.ts";
import { createToastClass } from "./toast-element.ts";

if (!customElements.get("tidings-toast")) {
  const options = {
    defaultUrl: import.meta.url.startsWith("http") ? addressOfScript(import.meta.url) : location.origin,
    // The client and words of other languages are loaded where they are needed.
    openInbox: async (given: InboxOptions) => (await import("../client/create-inbox.ts")).createInbox(given),
    loadWords: async (locale: string) => (await import("../extras/extras.ts")).loadWords(locale),
  };
  customElements.define("tidings-toast", createToastClass(options));
}
