// For a <script> tag: defines <tidings-inbox>, which talks to the service that the script came from unless it has a `url`. The panel is loaded
// from there when it is first needed.
import { addressOfScript } from "./address.ts";
import { createElementClass } from "./element-class.ts";

const script = document.currentScript as HTMLScriptElement | null;
const base = script?.src || location.href;

if (!customElements.get("tidings-inbox")) {
  const loadPanel = () => import(new URL("inbox/panel.js", base).href);
  customElements.define("tidings-inbox", createElementClass({ defaultUrl: addressOfScript(base), loadPanel }));
}
