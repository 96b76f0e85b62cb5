// Liquid that was written as text, such as a condition inside a sentence, looks like the chips of variables.
import type { Plugin } from "prosemirror-state";
import { Decoration, type DecorationSet } from "prosemirror-view";
import { decoratedPlugin } from "./decorated.ts";

const liquid = /\{\{[^{}]*\}\}|\{%[^{}%]*%\}/g;

export const liquidPlugin = (): Plugin<DecorationSet> =>
  decoratedPlugin((node, pos, parent) =>
    node.isText && !parent?.type.spec.code
      ? [...(node.text ?? "").matchAll(liquid)].map(({ index, 0: found }) =>
          Decoration.inline(pos + index, pos + index + found.length, { class: "email-liquid" }),
        )
      : [],
  );
