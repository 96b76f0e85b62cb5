// Imports of CSV files: subscribers, or subscriptions of topics. The service imports the rows in the background; rows
// that cannot be imported are skipped and reported. An addition of Tidings.
import { cursorList, cursorQuery, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

export const importKinds = ["subscribers", "subscriptions"] as const;
export type ImportKind = (typeof importKinds)[number];
export const importStatuses = ["waiting", "running", "completed", "failed"] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** Bytes of one CSV text, its lines, its columns, and the invalid rows that are kept. */
export const importLimits = { bytes: 10_000_000, lines: 250_000, columns: 200, errors: 1_000, cellCharacters: 20_000 };

/** Columns of a file of each kind; of subscribers also `data.<name>`. */
export const importColumns = {
  subscribers: ["subscriberId", "email", "phone", "firstName", "lastName", "locale", "timezone", "avatar", "data"],
  subscriptions: ["topicKey", "subscriberId", "identifier", "name"],
} as const;

const ImportKindWord = oneOf(importKinds, { title: "ImportKind" });
const Separator = oneOf([",", ";", "\t"], { title: "CsvSeparator", description: "Detected from the first line" });

export const Import = named("Import", {
  id: Type.String(),
  kind: ImportKindWord,
  isDryRun: Type.Boolean({ description: "true: the rows are checked and counted, and nothing is written" }),
  status: oneOf(importStatuses, {
    description: "failed: a part failed on every attempt; it is listed in the failed tasks and can be replayed",
  }),
  fileName: Type.Optional(Type.String()),
  separator: Separator,
  columns: Type.Array(Type.String(), { description: "The file's columns, as the names of the fields they set" }),
  lines: Type.Integer({ description: "Non-empty rows, without the header row" }),
  done: Type.Integer({ description: "Rows processed so far" }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: "Rows that match what is already stored" }),
  faulty: Type.Integer({ description: "Rows that were skipped; `imports.listErrors` lists the first 1,000" }),
  createdAt: isoTime("When the file was accepted"),
  finishedAt: Type.Optional(isoTime("When the last row was processed")),
});
export type Import = Static<typeof Import>;

export const ImportError = named("ImportError", {
  line: Type.Integer({ description: "Line number in the file, from 1" }),
  column: nullableString({ description: "null: the row as a whole" }),
  message: Type.String({ description: "What is wrong and how to fix it" }),
  cells: Type.Array(Type.String(), { description: "The cells of the row, in the order of `columns`" }),
});
export type ImportError = Static<typeof ImportError>;

export const ImportPreview = named("ImportPreview", {
  separator: Separator,
  columns: Type.Array(
    named("ImportColumn", {
      header: Type.String({ description: "As written in the file" }),
      field: nullableString({ description: "The field that the column sets; null: not imported" }),
      problem: Type.Optional(Type.String({ description: "Why the file would be refused" })),
    }),
  ),
  rows: Type.Array(Type.Array(Type.String()), { description: "The first rows, at most 10" }),
  problems: Type.Array(Type.String(), { description: "Why the file would be refused; empty: it would be accepted" }),
});
export type ImportPreview = Static<typeof ImportPreview>;

const csv = Type.String({ minLength: 1, description: "CSV text, at most 10 MB; the first line names the columns" });
const importPath = Type.Object({ importId: Type.String() });

export const importOperations = {
  "imports.list": operation({
    id: "imports.list",
    method: "GET",
    path: "/v1/imports",
    summary: "List imports of CSV files",
    description: "Kept for 30 days.",
    category: "configuration",
    query: Type.Object({
      ...cursorQuery,
      kind: Type.Optional(ImportKindWord),
      status: Type.Optional(oneOf(importStatuses)),
    }),
    success: { status: 200, schema: cursorList("ImportList", Import) },
    errors: [],
  }),
  "imports.create": operation({
    id: "imports.create",
    method: "POST",
    path: "/v1/imports",
    summary: "Import subscribers or subscriptions from CSV",
    description:
      "Rows are imported in the background; `imports.retrieve` returns the progress. A row that cannot be imported " +
      "is skipped and listed by `imports.listErrors`. With `dryRun`, everything is checked and counted, and nothing " +
      "is written.",
    category: "configuration",
    body: named("ImportIn", {
      kind: ImportKindWord,
      csv,
      dryRun: Type.Optional(Type.Boolean({ default: false })),
      fileName: Type.Optional(Type.String({ maxLength: 255 })),
    }),
    success: { status: 201, schema: Import },
    errors: ["IMPORT_TOO_LARGE", "IMPORT_LIMIT_REACHED"],
    bodyLimit: "bulk",
  }),
  "imports.preview": operation({
    id: "imports.preview",
    method: "POST",
    path: "/v1/imports/preview",
    summary: "Preview how a CSV text would be read",
    description: "Returns the separator, the columns and the first rows. The beginning of a file is enough.",
    category: "configuration",
    isReadOnly: true,
    body: named("ImportPreviewIn", { kind: ImportKindWord, csv }),
    success: { status: 200, schema: ImportPreview },
    errors: ["IMPORT_TOO_LARGE"],
  }),
  "imports.retrieve": operation({
    id: "imports.retrieve",
    method: "GET",
    path: "/v1/imports/{importId}",
    summary: "Retrieve an import with its progress",
    category: "configuration",
    params: importPath,
    success: { status: 200, schema: Import },
    errors: ["IMPORT_NOT_FOUND"],
  }),
  "imports.listErrors": operation({
    id: "imports.listErrors",
    method: "GET",
    path: "/v1/imports/{importId}/errors",
    isFromReplica: true,
    summary: "List the invalid rows of an import",
    description: "In file order, the first 1,000.",
    category: "configuration",
    params: importPath,
    query: Type.Object(pageQuery({ default: 100, maximum: 500 })),
    success: { status: 200, schema: Type.Object(pageEnvelope(ImportError), { title: "ImportErrorList" }) },
    errors: ["IMPORT_NOT_FOUND"],
  }),
};
