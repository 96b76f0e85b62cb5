// Payload schemas of workflows: compiled when saved (a schema that does not compile is refused) and cached by content,
// so that a trigger pays for compiling once.
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LRUCache } from "lru-cache";
import { canonicalJson } from "../lib/json.ts";

export type PayloadFault = { field: string; message: string; value?: unknown; schemaPath: string };

export type PayloadCheck = {
  fault: string | null;
  /** Faults of a payload; defaults of the schema are filled into it. */
  check(payload: Record<string, unknown>): PayloadFault[];
};

const cache = new LRUCache<string, PayloadCheck>({ max: 2_000 });

export function compilePayloadSchema(schema: Record<string, unknown>): PayloadCheck {
  const key = canonicalJson(schema);
  const cached = cache.get(key);
  if (cached) return cached;
  const compiled = compile(schema);
  cache.set(key, compiled);
  return compiled;
}

function compile(schema: Record<string, unknown>): PayloadCheck {
  try {
    // A schema of its own instance each: `$id`s of different workflows must not meet. Remote references are not loaded.
    const options = { allErrors: true, strict: false, useDefaults: true, validateFormats: true };
    const is2020 = typeof schema.$schema === "string" && schema.$schema.includes("2020-12");
    const ajv = is2020 ? new Ajv2020(options) : new Ajv(options);
    addFormats.default(ajv as Ajv);
    const { $schema, ...rest } = schema;
    // It would turn every check into a promise that nobody awaits.
    if (rest.$async !== undefined) throw new Error("$async is not supported");
    const validate = ajv.compile(rest);
    return {
      fault: null,
      check(payload) {
        if (validate(payload)) return [];
        return (validate.errors ?? []).slice(0, 100).map((error) => {
          const parts = error.instancePath.split("/").slice(1);
          if (error.keyword === "required") parts.push(String(error.params.missingProperty));
          const text = error.keyword === "required" ? "is required" : (error.message ?? "is not valid");
          return { field: parts.join(".") || "payload", message: text, schemaPath: error.schemaPath };
        });
      },
    };
  } catch (error) {
    return { fault: (error as Error).message, check: () => [] };
  }
}
