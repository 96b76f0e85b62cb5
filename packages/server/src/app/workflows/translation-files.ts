// Uploaded translations: a file is named after its locale (`de_DE.json`) and holds a JSON object.
import type { UploadedFile } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { canonicalLocale } from "../../lib/locale.ts";
import { formats, unstorableTexts } from "../../validation.ts";

/** Bounds the recursion of code that walks the texts. */
const maxDepth = 20;

/** The error in the texts of a locale, worded to follow the name of the field; null when they are valid. */
export function contentFault(content: JsonObject): string | null {
  if (isDeeperThan(content, maxDepth)) return `must not be nested deeper than ${maxDepth} levels`;
  const hasUnstorable = Object.keys(unstorableTexts(content)).length > 0;
  return hasUnstorable ? "must not contain U+0000 or half a surrogate pair" : null;
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => isDeeperThan(member, limit - 1));
}

type TranslationFile = { locale: string; content: JsonObject } | { fault: string };

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function readTranslationFile({ fileName, bytes }: UploadedFile): TranslationFile {
  const locale = /^(.+)\.json$/i.exec(fileName)?.[1] ?? "";
  if (!formats.locale(locale)) return { fault: "must be named <locale>.json" };
  let content: unknown;
  try {
    content = JSON.parse(utf8.decode(Buffer.from(bytes, "latin1")));
  } catch {
    return { fault: "is not valid JSON in UTF-8" };
  }
  if (!isObject(content)) return { fault: "must hold a JSON object" };
  const fault = contentFault(content);
  return fault ? { fault } : { locale: canonicalLocale(locale), content };
}
