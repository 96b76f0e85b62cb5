// Where the selection is: the blocks around it, from the outside in. Pure.
import type { Node as PmNode, ResolvedPos } from "prosemirror-model";
import { type EditorState, NodeSelection } from "prosemirror-state";
import { isMembers, textOf } from "../document/json.ts";
import { words } from "../words.ts";

export type BlockPlace = { node: PmNode; pos: number };

/** Cells and rows, which a table is made of. */
export const isCell = (node: PmNode): boolean => /cell$|^row$/.test(node.type.spec.tableRole ?? "");

const isHidden = (node: PmNode): boolean => node.type.name === "tableRow";

/** The blocks around the selection. The last one is selected, or has the cursor. */
export function pathOf({ selection }: EditorState): BlockPlace[] {
  const path = around(selection.$from);
  if (selection instanceof NodeSelection) path.push({ node: selection.node, pos: selection.from });
  return path.filter(({ node }) => !isHidden(node));
}

function around($pos: ResolvedPos): BlockPlace[] {
  const path: BlockPlace[] = [];
  for (let depth = 1; depth <= $pos.depth; depth++) path.push({ node: $pos.node(depth), pos: $pos.before(depth) });
  return path;
}

/** What moves as a whole: of a list item with one paragraph the item, of cells and columns what is inside. */
export function movablePlace(state: EditorState): BlockPlace | null {
  const { selection } = state;
  const blocks = pathOf(state).filter(({ node }) => node.isBlock);
  const last = blocks.at(-1);
  const parent = blocks.at(-2);
  const isSelected = selection instanceof NodeSelection && !selection.node.isInline;
  // A cell moves with its table only.
  if (last && isCell(last.node)) return blocks.findLast(({ node }) => node.type.name === "table") ?? null;
  if (!last || isSelected) return last ?? null;
  return parent?.node.type.name === "listItem" && parent.node.firstChild === last.node ? parent : last;
}

/** The movable block at a position, for the handle next to it. */
export function movableAt(doc: PmNode, inside: number): BlockPlace | null {
  const node = inside < 0 ? null : doc.nodeAt(inside);
  if (!node) return null;
  const path = [...around(doc.resolve(inside)), { node, pos: inside }].filter((one) => one.node.isBlock);
  const unmovable = ["listItem", "column", "tableRow", "tableCell", "tableHeader"];
  // Inside a list item, cell or table the outer block is meant: handles of every line would be too many.
  const outer = path.findIndex((one) => ["bulletList", "orderedList", "table"].includes(one.node.type.name));
  const shown = outer < 0 ? path : path.slice(0, outer + 1);
  return shown.findLast((one) => !unmovable.includes(one.node.type.name)) ?? null;
}

/** Inside a repeat, the members of an item come first: they are named after the list. */
export function namesAt(
  state: EditorState,
  variables: readonly string[],
  sampleOf: ((name: string) => unknown) | undefined,
): readonly string[] {
  const lists = pathOf(state).filter(({ node }) => node.type.name === "repeat" || node.type.name === "for");
  const members = lists.flatMap(({ node }) => {
    const each = textOf(node.attrs.values?.each);
    const list = sampleOf?.(each);
    const [item] = Array.isArray(list) ? list : [];
    return isMembers(item) ? Object.keys(item).map((name) => `${each}.${name}`) : [];
  });
  return members.length === 0 ? variables : [...new Set([...members, ...variables])];
}

export function nameOf(node: PmNode): string {
  const type = node.type.name;
  const known = (words.blocks as Record<string, { label: string }>)[type];
  return known?.label ?? words.types[type] ?? type;
}
