// Texts of a locale that cannot be rendered: each text is a template.
import type { JsonObject } from "../../../lib/json.ts";
import { textsByKey } from "../../../lib/text/translated-texts.ts";
import { checkTemplate, RenderError } from "../../../pipeline/render/liquid.ts";

type TextFault = { key: string; message: string };

/** Others are not listed. */
const maxFaults = 100;

export function textFaults(content: JsonObject): TextFault[] {
  const faults: TextFault[] = [];
  for (const [key, text] of textsByKey(content)) {
    const message = faultOf(text);
    if (message !== undefined) faults.push({ key, message });
    if (faults.length === maxFaults) break;
  }
  return faults;
}

function faultOf(text: string): string | undefined {
  if (!text.includes("{{") && !text.includes("{%")) return undefined;
  try {
    checkTemplate(text, "text");
    return undefined;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return [error.message, error.position].filter(Boolean).join(", ");
  }
}
