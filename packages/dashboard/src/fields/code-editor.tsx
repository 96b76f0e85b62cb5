// The editor of code, loaded when a field needs it. It lives in a shadow root: there CodeMirror adopts its style
// sheets, while in the page itself it would add a style element, which the policy of the page forbids.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { json } from "@codemirror/lang-json";
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { type RefObject, useEffect, useRef } from "react";
import { completeTemplate, insertName } from "./completion/complete.ts";
import { useInsertion } from "./completion/insertion.ts";
import { type Names, noNames } from "./completion/names.ts";
import css from "./fields.module.css";

export type Fault = { message: string; line?: number; column?: number };

export type SelectedText = { from: number; to: number };

type CodeEditorProps = {
  label: string;
  /** What is selected in the focused field that the editor takes the place of; null when it has no focus. */
  selected: RefObject<SelectedText | null>;
  language: "html" | "json" | "text";
  text: string;
  isReadOnly: boolean;
  /** Undone and redone in the field alone: its text is not part of what the page saves. */
  isAlone?: boolean;
  names?: Names;
  faults?: readonly Fault[];
  isWrong?: boolean;
  onChange: (text: string) => void;
};

export function CodeEditor(props: CodeEditorProps) {
  const { label, selected, language, text, isReadOnly, isAlone, names = noNames, faults, isWrong, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const parts = useRef({ readOnly: new Compartment(), language: new Compartment() });
  const setTarget = useInsertion();
  const latest = useRef({ onChange, names, setTarget });
  latest.current = { onChange, names, setTarget };
  /** What was typed and has not come back as `text` yet. */
  const typed = useRef<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; changes are dispatched below
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          drawSelection(),
          bracketMatching(),
          EditorView.lineWrapping,
          ...(isAlone ? [history(), keymap.of(historyKeymap)] : []),
          keymap.of([...completionKeymap, ...defaultKeymap]),
          autocompletion({ override: [(context) => completeVariable(context, latest.current.names)] }),
          syntaxHighlighting(colours),
          liquid,
          look,
          // The tab stop is named, so that the scroller around it counts as reachable.
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          parts.current.readOnly.of(EditorState.readOnly.of(isReadOnly)),
          parts.current.language.of(languageOf(language)),
          EditorView.updateListener.of((update) => {
            if (update.focusChanged && editor.hasFocus) latest.current.setTarget((name) => insertAtCaret(editor, name));
            if (!update.docChanged || update.transactions.every((one) => one.annotation(isShown))) return;
            const now = update.state.doc.toString();
            typed.current.push(now);
            latest.current.onChange(now);
          }),
        ],
      }),
    });
    view.current = editor;
    if (selected.current) {
      const { from, to } = selected.current;
      const { length } = editor.state.doc;
      editor.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) } });
      editor.focus();
    }
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const now = editor.state.doc.toString();
    // An earlier state of what is being typed: applied to the editor, it would undo what was typed since.
    const at = now === text ? -1 : typed.current.indexOf(text);
    if (now !== text && at < 0) editor.dispatch({ changes: changeOf(now, text), annotations: isShown.of(true) });
    typed.current = at < 0 ? [] : typed.current.slice(at + 1);
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({
      effects: [
        parts.current.readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)),
        parts.current.language.reconfigure(languageOf(language)),
      ],
    });
  }, [isReadOnly, language]);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, faults ?? [])));
  }, [faults]);
  return <div ref={host} className={css.code} data-fault={isWrong} />;
}

/**
 * Marks what the page puts into the editor, such as an undone text: nobody typed it, so it is not a change to tell of.
 */
const isShown = Annotation.define<boolean>();

/** The part that differs, so that the caret and the selection stay where the text around them does. */
function changeOf(now: string, text: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(now.length, text.length);
  let from = 0;
  while (from < shorter && now[from] === text[from]) from++;
  let end = 0;
  while (end < shorter - from && now[now.length - 1 - end] === text[text.length - 1 - end]) end++;
  return { from, to: now.length - end, insert: text.slice(from, text.length - end) };
}

const languageOf = (language: CodeEditorProps["language"]) =>
  language === "html" ? html({ autoCloseTags: false }) : language === "json" ? json() : [];

function diagnosticsOf(state: EditorState, faults: readonly Fault[]): Diagnostic[] {
  return faults.flatMap(({ message, line, column = 1 }) => {
    if (line === undefined || line > state.doc.lines) return [];
    const { from, to } = state.doc.line(line);
    const start = Math.min(from + column - 1, to);
    return [{ from: start, to: Math.max(start, Math.min(start + 12, to)), severity: "error" as const, message }];
  });
}

/** Characters before the caret that completion reads: a tag, and the loops around it. */
const readBefore = 20_000;
const readAfter = 500;

/** Names of variables, filters and what loops define, inside `{{ … }}` and `{% … %}`. */
function completeVariable({ state, pos }: CompletionContext, names: Names): CompletionResult | null {
  const start = Math.max(0, pos - readBefore);
  const found = completeTemplate(state.sliceDoc(start, pos + readAfter), pos - start, names);
  if (!found) return null;
  return {
    from: start + found.from,
    to: start + found.to,
    filter: false,
    options: found.options.map(({ label, note, insert }) => ({
      label,
      detail: note,
      type: "variable",
      apply: insert + found.end,
    })),
  };
}

function insertAtCaret(editor: EditorView, name: string): void {
  const { from, to } = editor.state.selection.main;
  const start = Math.max(0, from - readBefore);
  const before = editor.state.sliceDoc(start, from);
  const { text } = insertName(before, { from: before.length, to: before.length }, name, false);
  const insert = text.slice(before.length);
  editor.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
  editor.focus();
}

const tag = Decoration.mark({ class: "cm-liquid" });
const finder = new MatchDecorator({ regexp: /\{\{[^}]*\}\}|\{%[^%]*%\}/g, decoration: tag });
const liquid = ViewPlugin.define(
  (view) => {
    const value = {
      decorations: finder.createDeco(view),
      update(update: ViewUpdate) {
        value.decorations = finder.updateDeco(update, value.decorations);
      },
    };
    return value;
  },
  { decorations: ({ decorations }) => decorations },
);

/** The style of CodeMirror, with its colours exchanged for those of the dashboard, which follow light and dark. */
const themed: Readonly<Record<string, string>> = {
  "#708": "var(--info)",
  "#00f": "var(--info)",
  "#00c": "var(--info)",
  "#085": "var(--info)",
  "#167": "var(--info)",
  "#219": "var(--warn)",
  "#164": "var(--warn)",
  "#e40": "var(--warn)",
  "#a11": "var(--good)",
  "#940": "var(--text-faint)",
  "#404740": "var(--text-faint)",
};
const colours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({
    ...spec,
    ...(typeof color === "string" && { color: themed[color] ?? "var(--text)" }),
  })),
);

const look = EditorView.theme({
  "&": { color: "var(--text)", fontSize: "0.75rem", backgroundColor: "var(--bg-raised)", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px", borderRadius: "6px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", minHeight: "10rem", maxHeight: "34rem" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-faint)", border: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 24%, transparent)",
  },
  ".cm-liquid, .cm-liquid *": { color: "var(--accent) !important", fontWeight: "560" },
  ".cm-tooltip": {
    backgroundColor: "var(--bg-raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
});
