// An email inside its layout. The content is html that was rendered before, so it is put in as it is, not escaped: the
// layout is rendered around a mark, and the content takes the mark's place.
import { randomBytes } from "node:crypto";
import type { LayoutControlValues } from "@tidings/contract";
import { renderBody } from "./blocks.ts";
import { outputLimit } from "./bounded-liquid.ts";
import { RenderFault } from "./liquid.ts";

/** A layout without a body of its own shows the content and nothing else. */
export const plainLayoutBody = "{{ content }}";

export function renderLayout(values: LayoutControlValues, scope: object, content: string): string {
  const mark = `content-${randomBytes(16).toString("hex")}`;
  const given = { ...scope, content: mark };
  const { body, editorType } = values.email ?? {};
  const parts = renderBody(body || plainLayoutBody, editorType, true, given).split(mark);
  const length = parts.reduce((sum, part) => sum + part.length, content.length * (parts.length - 1));
  if (length > outputLimit) throw new RenderFault("output is larger than 5 MB");
  return parts.join(content);
}
