// Rules inside media queries win over inlined ones. A style attribute is stronger than any sheet, so a rule for small
// screens would lose against the rule for all screens that was inlined. `!important` gives it back the place that it
// had in the sheet.
import { Parser } from "htmlparser2";
import postcss from "postcss";

export function strengthenMediaRules(html: string): string {
  if (!/@media/i.test(html)) return html;
  const pieces: string[] = [];
  let done = 0;
  let isSheet = false;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        isSheet = name === "style";
      },
      ontext: (text) => {
        if (!isSheet || !/@media/i.test(text)) return;
        pieces.push(html.slice(done, parser.startIndex), strengthenSheet(text));
        done = parser.endIndex + 1;
      },
      onclosetag: () => {
        isSheet = false;
      },
    },
    { decodeEntities: false },
  );
  parser.end(html);
  return done === 0 ? html : [...pieces, html.slice(done)].join("");
}

/** Where the sheet marks a property in a media query itself, its author has decided about it: it stays unchanged. */
function strengthenSheet(css: string): string {
  let root: postcss.Root;
  try {
    root = postcss.parse(css);
  } catch {
    return css;
  }
  const declarations: postcss.Declaration[] = [];
  root.walkAtRules(/^media$/i, (query) => {
    for (const node of query.nodes ?? [])
      if (node.type === "rule") declarations.push(...node.nodes.filter((one) => one.type === "decl"));
  });
  const decided = new Set(declarations.filter(({ important }) => important).map(({ prop }) => prop));
  for (const declaration of declarations) if (!decided.has(declaration.prop)) declaration.important = true;
  return root.toString();
}
