// Imports of CSV files: accepted, listed, and their invalid rows. The work on the lines is pipeline/imports/.
import { type Import, type Input, importLimits, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { type ImportFile, previewFile, readImportFile } from "../../pipeline/imports/file.ts";
import { enqueueImport } from "../../pipeline/imports/stage.ts";
import {
  countUnfinishedImports,
  findImport,
  type ImportRow,
  insertImport,
  listImportErrors,
  listImports,
} from "../../store/subscribers/imports.ts";
import { pageRange, readCursor, toCursorList, toPage } from "../paging.ts";

/** Imports of an environment that are waiting or running. */
const maxUnfinished = 20;

const toImport = (row: ImportRow): Import => ({
  id: row.id,
  kind: row.kind,
  isDryRun: row.is_dry_run,
  status: row.status,
  fileName: row.file_name ?? undefined,
  separator: row.separator,
  columns: row.columns,
  lines: row.lines,
  done: row.done,
  created: row.created,
  updated: row.updated,
  unchanged: row.unchanged,
  faulty: row.faulty,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString(),
});

function refuseLargeText(csv: string): void {
  const bytes = Buffer.byteLength(csv);
  if (bytes <= importLimits.bytes) return;
  throw failure("IMPORT_TOO_LARGE", { found: `${(bytes / 1_000_000).toFixed(1)} MB`, limit: "10 MB" });
}

/** Reads the file before the transaction: reading a large one takes a while. */
export async function readFile(
  _ctx: Ctx,
  _caller: Caller,
  { body: { kind, csv } }: Input<"imports.create">,
): Promise<ImportFile> {
  refuseLargeText(csv);
  const file = await readImportFile(kind, csv);
  if (file.lines > importLimits.lines) {
    const limit = `${importLimits.lines.toLocaleString("en")} lines`;
    throw failure("IMPORT_TOO_LARGE", { found: `more than ${limit}`, limit });
  }
  if (file.problems.length > 0) throw invalid({ csv: { messages: file.problems.slice(0, 20) } });
  return file;
}

export async function create(
  ctx: Ctx,
  { environmentId }: Caller,
  { body }: Input<"imports.create">,
  { pages, separator, columns, lines }: ImportFile,
): Promise<Output<"imports.create">> {
  const count = await countUnfinishedImports(ctx.db, environmentId);
  if (count >= maxUnfinished) throw failure("IMPORT_LIMIT_REACHED", { count: String(count) });
  const row: ImportRow = {
    id: ctx.newId(),
    environment_id: environmentId,
    kind: body.kind,
    is_dry_run: body.dryRun ?? false,
    status: "waiting",
    file_name: body.fileName ?? null,
    separator,
    columns,
    lines,
    done: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    faulty: 0,
    created_at: ctx.now(),
    finished_at: null,
  };
  await insertImport(ctx.db, environmentId, row, pages);
  await enqueueImport(ctx, row);
  return toImport(row);
}

export async function preview(
  _ctx: Ctx,
  _caller: Caller,
  { body: { kind, csv } }: Input<"imports.preview">,
): Promise<Output<"imports.preview">> {
  refuseLargeText(csv);
  return previewFile(kind, csv);
}

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"imports.list">,
): Promise<Output<"imports.list">> {
  const { kind, status } = query;
  return toCursorList(await listImports(ctx.db, environmentId, { kind, status }, readCursor(query)), toImport);
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"imports.retrieve">,
): Promise<Output<"imports.retrieve">> {
  return toImport(await requireImport(ctx, caller, params.importId));
}

export async function listErrors(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"imports.listErrors">,
): Promise<Output<"imports.listErrors">> {
  const { id } = await requireImport(ctx, caller, params.importId);
  const page = { page: query.page, limit: query.limit ?? 100 };
  const errors = await listImportErrors(ctx.db, caller.environmentId, id, pageRange(page));
  return toPage(errors, page, (error) => error);
}

export async function requireImport(ctx: Ctx, { environmentId }: Caller, importId: string): Promise<ImportRow> {
  const row = await findImport(ctx.db, environmentId, importId);
  if (!row) throw failure("IMPORT_NOT_FOUND", { importId });
  return row;
}
