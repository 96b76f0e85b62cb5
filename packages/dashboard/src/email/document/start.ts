// Which bodies are block documents, and what new ones start with: known before the editor is loaded. Pure.

export type EditorType = "html" | "block";

/** What a new email starts with: a line to write on. */
export const emptyBody = '{"type":"doc","content":[{"type":"paragraph"}]}';

/** HTML as a document: one block, with every byte of it. */
export const bodyOfHtml = (html: string): string =>
  html.trim() === ""
    ? emptyBody
    : JSON.stringify({ type: "doc", content: [{ type: "htmlCodeBlock", content: [{ type: "text", text: html }] }] });

/** As the renderer decides: by the body itself, and for an empty one by the chosen editor. */
export function editorTypeOf(body: string, editorType: unknown): EditorType {
  if (body.trim() === "") return editorType === "html" ? "html" : "block";
  if (!/^\s*\{\s*["}]/.test(body)) return "html";
  return editorType !== "html" || isDocument(body) ? "block" : "html";
}

function isDocument(body: string): boolean {
  try {
    return JSON.parse(body).type === "doc";
  } catch {
    return false;
  }
}
