// The text of a channel step is its own file next to workflow.yaml: `<stepId>.<type>.<extension>`. A file ends with a
// line break that is not part of the text, as editors write it.
import type { StepFile } from "@tidings/contract";

const extensions: Partial<Record<StepFile["type"], string>> = {
  email: "html",
  in_app: "txt",
  sms: "txt",
  push: "txt",
  chat: "md",
};

/** A line break of Windows would come back as another text after a checkout, so such a text stays in the YAML file. */
const canBeFile = (text: string): boolean => text !== "" && !text.includes("\r") && !text.startsWith("\ufeff");

/** A body of the block editor is JSON on one line; as a file it is readable JSON. */
function readableJson(text: string): string | null {
  if (!text.startsWith("{")) return null;
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? `${JSON.stringify(value, null, 2)}\n` : null;
  } catch {
    return null;
  }
}

export type TemplateFile = { name: string; text: string };

/** The file of a text, by the name without extension; null when the text has to stay in the YAML file. */
export function toTemplateFile(base: string, extension: string, text: unknown): TemplateFile | null {
  if (typeof text !== "string" || !canBeFile(text)) return null;
  const json = extension === "html" ? readableJson(text) : null;
  return json ? { name: `${base}.json`, text: json } : { name: `${base}.${extension}`, text: `${text}\n` };
}

/** The text of a file. Throws a SyntaxError for JSON that does not parse. */
export function fromTemplateFile({ name, text }: TemplateFile): string {
  if (name.endsWith(".json")) return JSON.stringify(JSON.parse(text));
  const lines = text.replaceAll("\r\n", "\n");
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}

export const extensionOf = (type: StepFile["type"]): string | undefined => extensions[type];

/** The names under which the text of a step may be found. */
export function templateNames({ stepId, type }: Pick<StepFile, "stepId" | "type">): string[] {
  const extension = extensions[type];
  if (extension === undefined) return [];
  const base = `${stepId}.${type}`;
  return extension === "html" ? [`${base}.html`, `${base}.json`] : [`${base}.${extension}`];
}

const templateEnd = new RegExp(
  `\\.(${Object.entries(extensions)
    .map(([type, extension]) => `${type}\\.(${extension}${extension === "html" ? "|json" : ""})`)
    .join("|")})$`,
);

/** Whether a file looks like the text of a step: then it has to belong to one. */
export const isTemplateName = (name: string): boolean => templateEnd.test(name);
