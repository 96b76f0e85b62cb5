// The entry `element` of the package, for bundlers: defines <tidings-inbox> at once, because frameworks check which
// properties an element has when they create it. Nothing happens where pages are rendered on a server.
import { defineElement } from "./define-element.ts";
import type { TidingsInboxElement } from "./element-types.ts";

declare global {
  // Only interfaces merge declarations of the same name.
  interface HTMLElementTagNameMap {
    "tidings-inbox": TidingsInboxElement;
  }
}

if (typeof customElements !== "undefined") defineElement();
