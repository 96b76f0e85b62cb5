// What variables are in the preview: a translated text is shown for its key, on chips and on buttons; other values are
// in the tooltip.
import type { Node as PmNode } from "prosemirror-model";
import type { Plugin } from "prosemirror-state";
import { Decoration, type DecorationSet } from "prosemirror-view";
import { textOf } from "../document/json.ts";
import { shownText } from "../document/translatable.ts";
import { words } from "../words.ts";
import { decoratedPlugin } from "./decorated.ts";

export type SampleOf = (name: string) => unknown;

const maxLength = 200;

/** Empty: the sample has no such value. */
export function sampleText(name: string, sampleOf: SampleOf): string {
  const value = sampleOf(name);
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const shown = isTranslated(name) ? shownText(text, sampleOf) : text;
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1)}…` : shown;
}

const isTranslated = (name: string): boolean => name.startsWith("t.");

export const chipSamplesPlugin = (sampleOf: SampleOf): Plugin<DecorationSet> =>
  decoratedPlugin((node, pos) => {
    const attrs = attrsOf(node, sampleOf);
    return attrs ? [Decoration.node(pos, pos + node.nodeSize, attrs)] : [];
  });

function attrsOf(node: PmNode, sampleOf: SampleOf): Record<string, string> | null {
  if (node.type.name === "button") {
    const [, key] = /^\{\{\s*(t\.[\w.]+)\s*\}\}$/.exec(textOf(node.attrs.values?.text)) ?? [];
    const label = key === undefined ? "" : sampleText(key, sampleOf);
    return label === "" ? null : { class: "email-shown", style: `--shown: ${cssText(label)}` };
  }
  if (node.type.name !== "variable") return null;
  const name = textOf(node.attrs.values?.id);
  const text = sampleText(name, sampleOf);
  if (text === "") return null;
  return isTranslated(name) ? { "data-text": text, title: name } : { title: `${words.fields.sample}: ${text}` };
}

/** A string of a style sheet. */
const cssText = (text: string): string => `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[\s;{}]+/g, " ")}"`;
