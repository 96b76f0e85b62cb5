// Numbers as they are written in the sources, for documents that must not drift from them. A constant is found by the
// end of its file's path and its own name, so that it need not be exported for a document and its folder may move.
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const root = join(import.meta.dirname, "../..");

const sources = globSync("packages/{contract,providers,server}/src/**/*.ts", { cwd: root }).map((path) => ({
  path: `/${path.split(sep).join("/")}`,
  text: readFileSync(join(root, path), "utf8"),
}));

/** `60_000`, `7 * 86_400_000` or `(1 + 2) * 3`, up to the end of the constant or member. */
const expression = /([\d_.() */+]*\d[\d_.() */+]*)/.source;

/**
 * The number called `name` in the one file whose path ends with `file` and that defines it, once or the same each time.
 */
export function constant(file: string, name: string): number {
  const definition = new RegExp(`\\b${name}\\b(?:: [A-Za-z]+)? ?[:=] ${expression}(?=[;,\\s}])`, "g");
  const chosen = sources.filter(({ path }) => path.endsWith(`/${file}`));
  const found = new Set(
    chosen.flatMap(({ text }) => [...text.matchAll(definition)].map((match) => evaluate(match[1]!))),
  );
  if (found.size !== 1) throw new Error(`${file} has ${found.size} numbers called ${name}, not one`);
  return [...found][0]!;
}

/** Products and sums of plain numbers are all that constants use. */
function evaluate(text: string): number {
  const terms = text.replaceAll("_", "").replaceAll(/[() ]/g, "").split("+");
  return terms.reduce((sum, term) => sum + term.split("*").reduce((product, part) => product * Number(part), 1), 0);
}
