// The generated pages of docs/, and the generated parts of pages that are otherwise written by hand.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ErrorCode, errorCatalogue } from "@tidings/contract";
import { type Setting, settings } from "@tidings/server/source/settings";
import { scaleTables } from "../bench/costs.ts";

type Page = { path: string; content: string };

const root = dirname(import.meta.dirname);

const errorsIntro = `# Errors

<!-- Generated from packages/contract/src/errors.ts by \`npm run generate\`. Do not edit. -->

Every response outside 2xx has a JSON body of this shape:

\`\`\`json
{
  "statusCode": 404,
  "timestamp": "2026-01-01T00:00:00.000Z",
  "path": "/v2/subscribers/ada",
  "message": "Subscriber with id ada not found",
  "code": "SUBSCRIBER_NOT_FOUND",
  "ctx": { "subscriberId": "ada" }
}
\`\`\`

- \`statusCode\`, \`timestamp\`, \`path\` (with query string), \`message\` and \`code\` are always present. Programs should check
  \`code\`: it is stable, the wording of \`message\` is not.
- \`error\` is the text of the HTTP status, such as \`Not Found\`.
- \`ctx\` has the names and ids in the message; in the tables below they are in braces.
- 422 adds \`errors\`, a map from field path (\`limit\`, \`events.0.name\`) to \`{ "messages": [...], "value": ... }\`. All errors
  of a request are reported at once, and a request with an error changes nothing.
- 400 adds \`type\`, equal to \`code\`, and \`errors\`, a list of \`{ "field", "message" }\` which may be empty.
- 500 adds \`errorId\`, which is also in the log.
- 409, 429 and 503 have \`Retry-After\` when a retry makes sense.
`;

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export function errorsPage(): Page {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const byStatus = [...Map.groupBy(codes, (code) => errorCatalogue[code].status)].sort(([a], [b]) => a - b);
  const section = (status: number, group: ErrorCode[]): string => {
    const rows = group.sort().map((code) => {
      const { message, when } = errorCatalogue[code];
      return `| \`${code}\` | ${status} | ${cell(message)} | ${cell(when)} |`;
    });
    return [`## ${status}`, "", "| code | status | message | when |", "|---|---|---|---|", ...rows, ""].join("\n");
  };
  const sections = byStatus.map(([status, group]) => section(status, group));
  return { path: "docs/errors.md", content: [errorsIntro, ...sections].join("\n") };
}

const configIntro = `# Settings

<!-- Generated from packages/server/src/settings.ts by \`npm run generate\`. Do not edit. -->

Settings are environment variables. They are read and checked once at start; all errors are reported together, and a
misspelled \`TIDINGS_*\` variable is an error that names the nearest existing one. \`npm start\` needs none of them.

**Secrets in files.** A setting that holds a secret has a second variable, which ends in \`_FILE\`: the absolute path of a
file that contains the value alone, on one line. A line break at its end does not matter. Set one of the two. The file is
read once, at start. Container platforms and service managers provide secrets as such files; environment variables are
visible to more people and programs.

| variable | default | meaning |
|---|---|---|
`;

export function configPage(): Page {
  const table: [string, Setting<unknown>][] = Object.entries(settings);
  const rows = table.map(([name, { about, fallback, isSecret }]) => {
    const names = isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${fallback === "" ? "–" : `\`${fallback}\``} | ${cell(about)} |`;
  });
  return { path: "docs/config.md", content: `${configIntro}${rows.join("\n")}\n` };
}

/** Replaces what is between the two marks of a page. */
export function fillIn(path: string, text: string, part: { begin: string; end: string; content: string }): string {
  const [before, after] = [text.split(part.begin)[0]!, text.split(part.end)[1]];
  if (after === undefined || before === text) throw new Error(`${path} has no marks ${part.begin.trim()}`);
  return `${before}${part.begin}${part.content}${part.end}${after}`;
}

/** The tables of a page that is otherwise written by hand. */
export function scalePage(): Page {
  const path = "docs/scale.md";
  const page = readFileSync(join(root, path), "utf8");
  const content = Object.entries(scaleTables).reduce((text, [name, table]) => {
    const begin = `<!-- ${name}: from bench/costs.ts by \`npm run generate\` -->\n\n`;
    return fillIn(path, text, { begin, end: `\n\n<!-- end of ${name} -->`, content: table() });
  }, page);
  return { path, content };
}

/** One line per file of docs/decisions, with the title that the file has. */
export function decisionsList(): Page {
  const path = "docs/README.md";
  const lines = globSync("docs/decisions/*.md", { cwd: root })
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const [, number, title] = /^# (\d{4}): (.+)$/m.exec(text) ?? [];
      if (number === undefined) throw new Error(`${file} has no title like "# 0001: what was decided"`);
      const isSuperseded = /^Date: .* State: superseded/m.test(text);
      return `- [${number}](decisions/${basename(file)}): ${title}${isSuperseded ? " (superseded)" : ""}`;
    });
  const begin = "<!-- decisions: from the titles of docs/decisions by `npm run generate` -->\n\n";
  const page = readFileSync(join(root, path), "utf8");
  const content = fillIn(path, page, { begin, end: "\n\n<!-- end of decisions -->", content: lines.join("\n") });
  return { path, content };
}
