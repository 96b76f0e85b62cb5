// Whether a layout shows the content of the email, by its text: known while it is typed, before the service is asked.
// Pure.

/** `{{ content }}`, with or without filters, even inside a condition or a loop. */
const inTemplate = /\{[{%](?:[^{}%]|%(?!\}))*?\bcontent\b/;
/** A variable of a block document. */
const inBlocks = /"id"\s*:\s*"content"/;

export function showsContent({ body, editorType }: { body: string; editorType: "html" | "block" }): boolean {
  if (inTemplate.test(body)) return true;
  return editorType === "block" && inBlocks.test(body);
}
