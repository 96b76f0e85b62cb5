// Whether a text is well-formed XML, as far as pictures use it: tags that are nested and closed, attributes in quotes,
// entities, and no character that XML forbids.

const tag = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[A-Za-z_:][\w:.-]*=(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const content = /[^<]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const looseAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;

export function problemsOfXml(text: string): string[] {
  const problems: string[] = [];
  if (forbidden.test(text)) problems.push("a forbidden character");
  if (looseAmpersand.test(text)) problems.push("an ampersand without an entity");
  const open: string[] = [];
  let roots = 0;
  for (let at = 0; at < text.length; ) {
    const pattern = text[at] === "<" ? tag : content;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return [...problems, `not a tag: ${text.slice(at, at + 40)}`];
    at = pattern.lastIndex;
    if (pattern === content) {
      if (open.length === 0 && match[0].trim() !== "") problems.push(`text outside: ${match[0].trim()}`);
      continue;
    }
    const [, closing, name, attributes, single] = match;
    const names = [...attributes!.matchAll(/([\w:.-]+)=/g)].map(([, attribute]) => attribute);
    if (new Set(names).size < names.length) problems.push(`<${name}> has an attribute twice`);
    if (closing) {
      if (open.at(-1) === name) open.pop();
      else problems.push(`</${name}> closes ${open.length > 0 ? `<${open.pop()}>` : "nothing"}`);
    } else {
      if (open.length === 0) roots++;
      if (!single) open.push(name!);
    }
  }
  problems.push(...open.map((name) => `<${name}> is not closed`));
  if (roots !== 1) problems.push(`${roots} roots`);
  return problems;
}
