// The keyboard: every part of the editor can be reached without a mouse. Undo and redo are those of the page, which
// knows the changes of all fields.
import { baseKeymap, chainCommands, exitCode } from "prosemirror-commands";
import {
  ellipsis,
  emDash,
  InputRule,
  inputRules,
  textblockTypeInputRule,
  wrappingInputRule,
} from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import type { Node as PmNode } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { type Command, type Plugin, Selection } from "prosemirror-state";
import { goToNextCell } from "prosemirror-tables";
import { schema } from "../document/schema.ts";
import { addLineAfter, duplicateBlock, moveBlock, selectOuter, toggle } from "./commands.ts";

export type KeyActions = { openSettings: () => void; openLink: () => void };

const lineBreak: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const { hardBreak } = schema.nodes;
  if (!$from.parent.inlineContent || !$from.parent.contentMatchAt($from.index()).matchType(hardBreak!)) return false;
  dispatch?.(state.tr.replaceSelectionWith(hardBreak!.create()).scrollIntoView());
  return true;
};

const goTo =
  (place: (doc: PmNode) => Selection): Command =>
  ({ tr, doc }, dispatch) => {
    dispatch?.(tr.setSelection(place(doc)).scrollIntoView());
    return true;
  };

const always =
  (run: () => void): Command =>
  (_state, dispatch) => {
    if (dispatch) run();
    return true;
  };

export function keyPlugins({ openSettings, openLink }: KeyActions): Plugin[] {
  const item = schema.nodes.listItem!;
  return [
    inputRules({ rules }),
    keymap({
      Enter: chainCommands(addLineAfter, splitListItem(item)),
      "Alt-Enter": always(openSettings),
      "Shift-Enter": chainCommands(exitCode, lineBreak),
      "Mod-Enter": exitCode,
      Tab: chainCommands(goToNextCell(1), sinkListItem(item)),
      "Shift-Tab": chainCommands(goToNextCell(-1), liftListItem(item)),
      Escape: selectOuter,
      "Alt-ArrowUp": moveBlock(-1),
      "Alt-ArrowDown": moveBlock(1),
      "Mod-Shift-d": duplicateBlock,
      // The browser's own keys stop at the start of the last line in a long document.
      "Mod-Home": goTo(Selection.atStart),
      "Mod-End": goTo(Selection.atEnd),
      "Mod-b": toggle("bold"),
      "Mod-i": toggle("italic"),
      "Mod-u": toggle("underline"),
      "Mod-e": toggle("code"),
      "Mod-k": always(openLink),
    }),
    keymap(baseKeymap),
  ];
}

const rules = [
  ellipsis,
  emDash,
  textblockTypeInputRule(/^(#{1,3})\s$/, schema.nodes.heading!, (match) => ({ values: { level: match[1]!.length } })),
  wrappingInputRule(/^\s*[-*]\s$/, schema.nodes.bulletList!),
  wrappingInputRule(/^\s*1[.)]\s$/, schema.nodes.orderedList!),
  wrappingInputRule(/^\s*>\s$/, schema.nodes.blockquote!),
  // A variable that is typed to its end.
  new InputRule(/\{\{\s*([\p{L}_][\w.-]{0,200})\s*\}\}$/u, (state, match, start, end) =>
    state.selection.$from.parent.type.spec.code
      ? null
      : state.tr.replaceWith(start, end, schema.nodes.variable!.create({ values: { id: match[1] } })),
  ),
];
