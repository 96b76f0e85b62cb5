// Defines <tidings-inbox> for pages with a bundler.
import { addressOfScript } from "./address.ts";
import { createElementClass } from "./element-class.ts";

/** The panel is loaded when it is first needed. */
export function defineElement(): void {
  if (customElements.get("tidings-inbox")) return;
  const defaultUrl = import.meta.url.startsWith("http") ? addressOfScript(import.meta.url) : location.origin;
  const options = {
    defaultUrl,
    loadPanel: () => import("./ui/panel.ts"),
    loadExtras: () => import("./extras/extras.ts"),
  };
  customElements.define("tidings-inbox", createElementClass(options));
}
