// For a <script> tag: defines <tidings-inbox>, which talks to the service that the script came from unless it has a
// `url`. The panel is loaded from there when it is first needed.
import { addressOfScript } from "./address.ts";
import { createElementClass } from "./element-class.ts";

const script = document.currentScript as HTMLScriptElement | null;
const base = script?.src || location.href;

if (!customElements.get("tidings-inbox")) {
  const load = (name: string) => import(new URL(`inbox/${name}.js`, base).href);
  const options = {
    defaultUrl: addressOfScript(base),
    loadPanel: () => load("panel"),
    loadExtras: () => load("extras"),
  };
  customElements.define("tidings-inbox", createElementClass(options));
}
