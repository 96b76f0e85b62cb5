// Marks, lists and blocks to insert, above the text.
import type { Command, EditorState } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { useRef } from "react";
import { Button } from "../../kit/inputs/button.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { type MarkName, schema } from "../document/schema.ts";
import css from "../email.module.css";
import { words } from "../words.ts";
import { clearMarks, setMark, toggle, toggleList } from "./commands.ts";
import { EditorIcon, type EditorIconName } from "./icons.tsx";
import type { Insertable } from "./insertable.ts";
import { insertAny, needsSettings } from "./menu.ts";

type ToolbarProps = { view: EditorView; state: EditorState; onLink: () => void; openSettings: () => void };

const markButtons = ["bold", "italic", "underline", "strike", "code"] as const;

export function Toolbar({ view, state, onLink, openSettings }: ToolbarProps) {
  const run = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  /** Whether the last inserted block opened its settings. */
  const hasSettings = useRef(false);
  const insert = (kind: Insertable) => {
    hasSettings.current = needsSettings(kind);
    view.focus();
    insertAny(view, kind, openSettings);
  };
  const entries: MenuEntry[] = (Object.keys(words.blocks) as Insertable[]).map((kind) => ({
    label: words.blocks[kind].label,
    note: words.blocks[kind].hint,
    onChoose: () => insert(kind),
  }));
  return (
    <div className={css.toolbar} role="toolbar" aria-label={words.toolbar}>
      <Menu
        trigger={
          <Button size="small" icon="plus">
            {words.insert}
          </Button>
        }
        entries={entries}
        align="start"
        // Settings that were opened have the focus.
        focusAfter={() => (hasSettings.current ? null : view.dom)}
      />
      <span className={css.gap} />
      {markButtons.map((name) => (
        <Tool
          key={name}
          label={words.marks[name]}
          icon={name}
          isOn={hasMark(state, name)}
          onPress={() => run(toggle(name))}
        />
      ))}
      <Tool label={words.marks.link} icon="link" isOn={hasMark(state, "link")} onPress={onLink} />
      <label className={css.swatch} title={words.marks.textStyle}>
        <span className="visually-hidden">{words.marks.textStyle}</span>
        <input
          type="color"
          value={colorOf(state)}
          // The focus stays, or the browser would close its palette.
          onChange={({ target }) => setMark("textStyle", { color: target.value })(view.state, view.dispatch)}
        />
      </label>
      <Tool label={words.clear} icon="clear" onPress={() => run(clearMarks)} />
      <span className={css.gap} />
      <Tool label={words.bulletList} icon="bulletList" onPress={() => run(toggleList("bulletList"))} />
      <Tool label={words.orderedList} icon="orderedList" onPress={() => run(toggleList("orderedList"))} />
    </div>
  );
}

type ToolProps = { label: string; icon: EditorIconName; isOn?: boolean; onPress: () => void };

const Tool = ({ label, icon, isOn, onPress }: ToolProps) => (
  <button
    type="button"
    className={css.tool}
    aria-label={label}
    title={label}
    aria-pressed={isOn}
    // The selection of the text stays.
    onMouseDown={(event) => event.preventDefault()}
    onClick={onPress}
  >
    <EditorIcon name={icon} />
  </button>
);

function hasMark({ selection, storedMarks, doc }: EditorState, name: MarkName): boolean {
  const type = schema.marks[name]!;
  const { from, to, empty, $from } = selection;
  return empty ? Boolean(type.isInSet(storedMarks ?? $from.marks())) : doc.rangeHasMark(from, to, type);
}

function colorOf({ selection }: EditorState): string {
  const mark = schema.marks.textStyle!.isInSet(selection.$from.marks());
  const color = mark?.attrs.values?.color;
  return typeof color === "string" && /^#[0-9a-f]{6}$/i.test(color) ? color : "#374151";
}
