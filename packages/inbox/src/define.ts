// The entry `element` of the package, for bundlers: defines <tidings-inbox> at once, because frameworks look which properties an element
// has when they make it. Nothing happens where pages are rendered on a server.
import { defineElement } from "./define-element.ts";
import type { TidingsInboxElement } from "./element-types.ts";

declare global {
  // Declarations of the same name are merged for interfaces alone.
  interface HTMLElementTagNameMap {
    "tidings-inbox": TidingsInboxElement;
  }
}

if (typeof customElements !== "undefined") defineElement();
