// The notices that licences of bundled packages ask for: one file next to each bundle, NOTICE.txt, with the packages in
// it, their licences and where their sources are. Bundlers drop comments with licences, so the file is written from the
// list of inputs.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const licenceFile = /^(licen[cs]e|copying)(\.(md|txt|mit|apache2?|bsd))?$/i;

/**
 * The text of NOTICE.txt for the inputs of an esbuild metafile, whose paths are relative to `folder`; "" without
 * packages.
 */
export function noticesOf(folder, inputs) {
  const places = new Map();
  for (const input of inputs) {
    const [, place] = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll("\\", "/")) ?? [];
    if (!place || places.has(place)) continue;
    const path = join(folder, place);
    // A workspace is linked into node_modules, and belongs to this project.
    if (existsSync(join(path, "package.json"))) places.set(place, noticeOf(path));
  }
  const notices = [...places.values()].filter(Boolean).sort((a, b) => (a.title < b.title ? -1 : 1));
  if (notices.length === 0) return "";
  const byText = groupByText(notices);
  const parts = [...byText].map(([text, group]) => [...group.map(({ title }) => title), "", text].join("\n"));
  return `This program contains the following packages.\n\n${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Map.groupBy, which the Node 20 that may run setup does not have. */
function groupByText(notices) {
  const byText = new Map();
  for (const notice of notices) byText.set(notice.text, [...(byText.get(notice.text) ?? []), notice]);
  return byText;
}

function noticeOf(path) {
  const {
    name,
    version,
    license,
    homepage,
    repository,
    private: isPrivate,
  } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  if (isPrivate) return null;
  const file = readdirSync(path).find((entry) => licenceFile.test(entry));
  const source = homepage ?? (typeof repository === "string" ? repository : repository?.url) ?? "the npm registry";
  const text = file ? readFileSync(join(path, file), "utf8").replaceAll("\r\n", "\n").trim() : `Licence: ${license}`;
  return { title: `${name} ${version} (${license}), source: ${source}`, text };
}
