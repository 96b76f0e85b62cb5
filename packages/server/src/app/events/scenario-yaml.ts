// A scenario as YAML 1.2, in block style. Texts that YAML 1.1 would read as something else are quoted as well. This
// file is imported by the first export, because a start does not need the library; an `import()` of the library itself
// has no named exports in the bundle.
import type { JsonObject } from "@tidings/contract";
import { Document, visit } from "yaml";

const format = { version: "1.2", compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

export function toYaml(value: JsonObject): string {
  const document = new Document(value, format);
  visit(document, {
    Scalar: (_, scalar) => {
      // The library would write blank lines as a block, which loses spaces, and a byte order mark that begins the file.
      if (typeof scalar.value === "string" && /^(?:\s*$|\ufeff)/.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ ...format, blockQuote: "literal" });
}
