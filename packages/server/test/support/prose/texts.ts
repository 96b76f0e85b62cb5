// Reads prose out of files: paragraphs of Markdown, comments, and the texts in string literals. What is not prose
// (code, addresses, quoted titles of tests) is blanked out, so that lines and columns stay those of the file.

/** `text` has the lines of the file; what is not prose is blank. */
export type Prose = { path: string; text: string };

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

const isTableOrHeading = (line: string): boolean => /^\s*(?:\||#)/.test(line);

/** Without code, comments, placeholders, addresses of links and quoted titles (“…”). */
export function proseOfMarkdown(text: string): string {
  return text
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/`[^`\n]*(?:\n(?!\n)[^`\n]*)?`/g, blank)
    .replaceAll(/“[^”]*”|\{\w+\}/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll(/<[^>\n]*>|https?:\S+/g, blank);
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line);

/** The comments of a program: whole lines, and what follows code on its line. */
export function commentsOf(text: string): string {
  const lines = text.split("\n").map((line) => {
    if (isComment(line)) return line.replace(/^\s*(?:\/\/|\/\*\*?|\*\/?)|\*\/\s*$/g, blank);
    const trailing = /(?<=[;,{})\]] )\/\/ .*$/.exec(line);
    return trailing ? blank(line.slice(0, trailing.index + 2)) + line.slice(trailing.index + 2) : "";
  });
  return withoutCode(lines.join("\n"));
}

const withoutCode = (text: string): string =>
  text
    .replaceAll(/`[^`\n]*(?:\n[^`\n]*)?`/g, blank)
    .replaceAll(/"[^"\n]*"/g, blank)
    .replaceAll(/https?:\S+/g, blank);

/** String literals that are sentences or phrases: those with a space between words. */
export function textsOf(source: string): string {
  const lines = source.split("\n").map((line) => {
    if (isComment(line) || /^\s*(?:import|export \*)/.test(line)) return "";
    let kept = blank(line);
    for (const match of line.matchAll(/"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`/g)) {
      const inside = match[1] ?? match[2] ?? "";
      if (!/[A-Za-z]{2,},? [A-Za-z]/.test(inside)) continue;
      const from = match.index + 1;
      kept =
        kept.slice(0, from) + inside.replaceAll(/\$\{[^}]*\}|`[^`]*`|\\./g, blank) + kept.slice(from + inside.length);
    }
    return kept;
  });
  return lines.join("\n");
}

/**
 * Lines of Markdown prose and of comments that are longer than the limit. Long links, code and generated pages do not
 * count.
 */
export function longLines(path: string, text: string, limit = 120): string[] {
  const isPage = path.endsWith(".md");
  if (/^<!-- Generated /m.test(text)) return [];
  const source = isPage ? text.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank) : text;
  return source.split("\n").flatMap((line, index) => {
    const isProse = isPage ? !isTableOrHeading(line) : isComment(line);
    const counted = (isPage ? line.replaceAll(/\]\([^)]*\)/g, "]") : line).trimEnd();
    const hasLongWord = /\S{60,}|`[^`]{80,}`/.test(line);
    return isProse && counted.length > limit && !hasLongWord ? [`${path}:${index + 1}: ${line.length} columns`] : [];
  });
}
