// A YAML file as a value, with the line and column of each part of it.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from "yaml";
import type { FileProblem, Place } from "./source.ts";

export type YamlSource = {
  value: unknown;
  problems: FileProblem[];
  /** The place of a path in the value, or of its nearest ancestor where the path does not exist. */
  placeOf(path: readonly string[]): Place;
};

export function readYaml(file: string, text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = document.errors.map(({ pos, message }) => ({ ...placeAt(pos[0]), message }));
  const placeOf = (path: readonly string[]) => placeAt(offsetOf(document.contents, path));
  if (problems.length > 0) return { value: null, problems, placeOf };
  try {
    // Aliases that name each other make a small file a huge value.
    return { value: document.toJS({ maxAliasCount: 50 }), problems, placeOf };
  } catch (error) {
    return { value: null, problems: [{ ...placeAt(0), message: (error as Error).message }], placeOf };
  }
}

function offsetOf(root: Node | null, path: readonly string[]): number {
  let offset = root?.range?.[0] ?? 0;
  let node: unknown = root;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part);
      if (!pair) break;
      offset = (pair.key as Node | null)?.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/**
 * Long lines are not folded, and texts of several lines are blocks. Texts that tools of YAML 1.1 take for another type
 * (yes, on, 0x1) are quoted.
 */
export const writeYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, version: "1.2", compat: "yaml-1.1" });
