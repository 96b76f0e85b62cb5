// Reads the part of Go's template language that the chart in deploy/kubernetes uses. What it does not know is an error:
// the chart stays within what is tested here. Rendering is in render.ts.

export type Expression =
  | { kind: "literal"; value: string | number | boolean }
  /** `.a.b`, `$.a`, `$name.a`: `variable` is null for a path from the dot. */
  | { kind: "path"; variable: string | null; keys: string[] }
  | { kind: "call"; name: string; args: Expression[] };

export type Node =
  | { kind: "text"; text: string }
  | { kind: "output"; value: Expression }
  | { kind: "assign"; variable: string; value: Expression }
  | { kind: "if" | "with"; branches: { test: Expression | null; body: Node[] }[] }
  | { kind: "range"; variables: string[]; list: Expression; body: Node[] };

export type Templates = Map<string, Node[]>;

type Piece = { kind: "text"; text: string } | { kind: "action"; text: string };

/** Text and actions. `{{-` and `-}}` remove the whitespace next to them. */
function splitActions(source: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let isTrimmed = false;
  for (const match of source.matchAll(
    /\{\{(- )?((?:"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|(?!\}\}|"|\/\*)[\s\S])*?)( -)?\}\}/g,
  )) {
    const text = source.slice(at, match.index);
    const left = isTrimmed ? text.trimStart() : text;
    pieces.push({ kind: "text", text: match[1] ? left.trimEnd() : left });
    pieces.push({ kind: "action", text: match[2]!.trim() });
    isTrimmed = Boolean(match[3]);
    at = match.index + match[0].length;
  }
  const rest = source.slice(at);
  if (rest.includes("{{")) throw new Error(`an action is not closed: ${rest.slice(rest.indexOf("{{"), 80)}`);
  pieces.push({ kind: "text", text: isTrimmed ? rest.trimStart() : rest });
  return pieces.filter(({ text }) => text !== "");
}

/** The templates that a file defines, and the file itself under its name. */
export function parseTemplate(name: string, source: string, templates: Templates): void {
  const pieces = splitActions(source);
  let at = 0;
  const parseBody = (ends: RegExp): { body: Node[]; end: string } => {
    const body: Node[] = [];
    for (;;) {
      const piece = pieces[at++];
      if (!piece) {
        if (ends.test("")) return { body, end: "" };
        throw new Error(`${name}: an {{ end }} is missing`);
      }
      if (piece.kind === "text") body.push({ kind: "text", text: piece.text });
      else if (ends.test(piece.text)) return { body, end: piece.text };
      else body.push(...parseAction(piece.text));
    }
  };
  const parseAction = (text: string): Node[] => {
    if (/^\/\*[\s\S]*\*\/$/.test(text)) return [];
    const [, word, rest = ""] = /^(\w+)\s+([\s\S]+)$/.exec(text) ?? [];
    if (word === "define") {
      templates.set(JSON.parse(rest), parseBody(/^end$/).body);
      return [];
    }
    if (word === "if" || word === "with") return [parseBranches(word, rest)];
    if (word === "range") return [parseRange(rest)];
    const [, variable, value] = /^\$(\w+) := ([\s\S]+)$/.exec(text) ?? [];
    if (variable) return [{ kind: "assign", variable, value: parseExpression(value!) }];
    return [{ kind: "output", value: parseExpression(text) }];
  };
  const parseBranches = (kind: "if" | "with", first: string): Node => {
    const branches: { test: Expression | null; body: Node[] }[] = [];
    let test: Expression | null = parseExpression(first);
    for (;;) {
      const { body, end } = parseBody(/^(?:end|else(?: if .+)?)$/);
      branches.push({ test, body });
      if (end === "end") return { kind, branches };
      test = end === "else" ? null : parseExpression(end.slice("else if ".length));
    }
  };
  const parseRange = (text: string): Node => {
    const [, names, list] = /^((?:\$\w+)(?:, \$\w+)?) := ([\s\S]+)$/.exec(text) ?? [];
    if (names === undefined) throw new Error(`${name}: range needs variables: ${text}`);
    const variables = names.split(", ").map((one) => one.slice(1));
    return { kind: "range", variables, list: parseExpression(list!), body: parseBody(/^end$/).body };
  };
  templates.set(name, parseBody(/^$/).body);
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|\$?(?:\.?[A-Za-z_]\w*)(?:\.\w+)*|\$|\.|-?\d+|[()|]/g;

/** A pipeline: `a b | c d` is `c d (a b)`. */
function parseExpression(text: string): Expression {
  const tokens = text.match(tokenPattern) ?? [];
  if (tokens.join("") !== text.replaceAll(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ""))
    throw new Error(`an expression that this reader does not know: ${text}`);
  let at = 0;
  const parsePipeline = (): Expression => {
    let value = parseCommand();
    while (tokens[at] === "|") {
      at++;
      const next = parseCommand();
      if (next.kind !== "call") throw new Error(`not a function: ${text}`);
      value = { ...next, args: [...next.args, value] };
    }
    return value;
  };
  const isEnd = () => at >= tokens.length || tokens[at] === "|" || tokens[at] === ")";
  const parseCommand = (): Expression => {
    const first = parseOperand();
    const args: Expression[] = [];
    while (!isEnd()) args.push(parseOperand());
    if (args.length > 0 && first.kind !== "call") throw new Error(`not a function: ${text}`);
    return first.kind === "call" && args.length > 0 ? { ...first, args: [...first.args, ...args] } : first;
  };
  const parseOperand = (): Expression => {
    const token = tokens[at++]!;
    if (token === "(") {
      const value = parsePipeline();
      if (tokens[at++] !== ")") throw new Error(`a parenthesis is not closed: ${text}`);
      return value;
    }
    return operandOf(token);
  };
  const value = parsePipeline();
  if (at < tokens.length) throw new Error(`an expression that this reader does not know: ${text}`);
  return value;
}

function operandOf(token: string): Expression {
  if (token.startsWith('"')) return { kind: "literal", value: JSON.parse(token) as string };
  if (/^-?\d+$/.test(token)) return { kind: "literal", value: Number(token) };
  if (token === "true" || token === "false") return { kind: "literal", value: token === "true" };
  const [head = "", ...keys] = token.split(".");
  if (head.startsWith("$")) return { kind: "path", variable: head.slice(1), keys };
  if (head === "") return { kind: "path", variable: null, keys: keys.filter((key) => key !== "") };
  if (keys.length > 0) throw new Error(`neither a function nor a path: ${token}`);
  return { kind: "call", name: token, args: [] };
}
