// A scenario as YAML 1.2, in block style. Texts that YAML 1.1 would read as something else are quoted as well.
import type { JsonObject } from "@tidings/contract";

const format = { version: "1.2", compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/** The library is loaded by the first export: a start does not need it. */
export async function toYaml(value: JsonObject): Promise<string> {
  const { Document, visit } = await import("yaml");
  const document = new Document(value, format);
  visit(document, {
    Scalar: (_, scalar) => {
      // The library would write blank lines as a block, which loses spaces, and a byte order mark that begins the file.
      if (typeof scalar.value === "string" && /^(?:\s*$|\ufeff)/.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ ...format, blockQuote: "literal" });
}
