// The actions for the rows and columns of a table, and for columns.
import { type Command, Selection } from "prosemirror-state";
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, isInTable, toggleHeaderRow } from "prosemirror-tables";
import type { EditorView } from "prosemirror-view";
import { Button } from "../../../kit/inputs/button.tsx";
import css from "../../email.module.css";
import { words } from "../../words.ts";
import { blockOf } from "../insertable.ts";
import type { BlockPlace } from "../places.ts";

const say = words.fields;

const commands: [label: string, command: Command][] = [
  [say.table.addRow, addRowAfter],
  [say.table.addColumn, addColumnAfter],
  [say.table.removeRow, deleteRow],
  [say.table.removeColumn, deleteColumn],
  [say.table.header, toggleHeaderRow],
];

export function TableActions({ view, place }: { view: EditorView; place: BlockPlace }) {
  const run = (command: Command) => {
    // A table that is selected as a whole has no cell that the command could begin at.
    if (place.node.type.name === "table" || !isInTable(view.state))
      view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(place.pos + 1))));
    command(view.state, view.dispatch);
    view.focus();
  };
  return (
    <div className={css.actions}>
      {commands.map(([label, command]) => (
        <Button key={label} size="small" onClick={() => run(command)}>
          {label}
        </Button>
      ))}
    </div>
  );
}

export function ColumnActions({ view, place }: { view: EditorView; place: BlockPlace }) {
  const add = () => {
    const columns = blockOf({ type: "columns", content: [{ type: "column", content: [{ type: "paragraph" }] }] });
    view.dispatch(view.state.tr.insert(place.pos + place.node.nodeSize - 1, columns.firstChild!));
  };
  return (
    <div className={css.actions}>
      <Button size="small" icon="plus" disabled={place.node.childCount >= 4} onClick={add}>
        {say.addColumn}
      </Button>
    </div>
  );
}
