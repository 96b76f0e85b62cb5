// Images of emails: uploaded, listed, deleted, and read under their public address.
import { createHash } from "node:crypto";
import { type Asset, type AssetContentType, type Input, maxAssetBytes, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { type AlternateSuccess, alternateSuccess } from "../../response.ts";
import {
  type AssetRow,
  deleteAsset,
  findAssetByHash,
  findAssetBytes,
  insertAsset,
  listAssets,
  markAssetNeeded,
  type NewAsset,
  type StoredAsset,
  sumAssetBytes,
} from "../../store/assets/assets.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { isSvg, readImageHeader } from "./image-header.ts";

const endings: Record<AssetContentType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const toAsset = ({ config }: Ctx, row: AssetRow): Asset => ({
  id: row.id,
  url: `${config.publicUrl}/assets/${row.environment_id}/${row.hash}.${endings[row.content_type]}`,
  contentType: row.content_type,
  size: row.size,
  width: row.width,
  height: row.height,
  fileName: row.file_name ?? undefined,
  createdAt: row.created_at.toISOString(),
});

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, "")} MB`;

const svgRefusal =
  "file is an SVG: an SVG can contain scripts, and most mail programs do not show it. Export it as PNG and upload that";
const otherRefusal = "file must be a PNG, JPEG, GIF or WebP image; the bytes of this file are none of them, or damaged";

export async function create(
  ctx: Ctx,
  { environmentId }: Caller,
  { body: { file } }: Input<"assets.create">,
): Promise<Output<"assets.create"> | AlternateSuccess<Output<"assets.create">>> {
  const bytes = Buffer.from(file.bytes, "latin1");
  if (bytes.length > maxAssetBytes) {
    throw failure("ASSET_TOO_LARGE", { found: megabytes(bytes.length), limit: megabytes(maxAssetBytes) });
  }
  const header = readImageHeader(bytes);
  if (!header) throw invalid({ file: { messages: [isSvg(bytes) ? svgRefusal : otherRefusal] } });
  const hash = createHash("sha256").update(bytes).digest("hex");
  // Uploads of an environment take turns: two of the same image become one row, and the limit holds for both.
  await lockEnvironment(ctx.db, environmentId);
  const existing = await findAssetByHash(ctx.db, environmentId, hash);
  if (existing) {
    await markAssetNeeded(ctx.db, environmentId, { id: existing.id, now: ctx.now() });
    return alternateSuccess(toAsset(ctx, existing));
  }
  const stored = await sumAssetBytes(ctx.db, environmentId);
  if (stored + bytes.length > ctx.config.assetLimit) {
    throw failure("ASSET_LIMIT_REACHED", { stored: megabytes(stored), limit: megabytes(ctx.config.assetLimit) });
  }
  const row: NewAsset = {
    id: ctx.newId(),
    environment_id: environmentId,
    hash,
    content_type: header.contentType,
    file_name: file.fileName || null,
    width: header.width,
    height: header.height,
    size: bytes.length,
    bytes,
    created_at: ctx.now(),
  };
  await insertAsset(ctx.db, environmentId, row);
  return toAsset(ctx, { ...row, needed_at: null });
}

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"assets.list">,
): Promise<Output<"assets.list">> {
  return toCursorList(await listAssets(ctx.db, environmentId, readCursor(query)), (row) => toAsset(ctx, row));
}

export async function remove(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { assetId } }: Input<"assets.delete">,
): Promise<undefined> {
  if (!(await deleteAsset(ctx.db, environmentId, assetId))) throw failure("ASSET_NOT_FOUND", { assetId });
}

export type PublicAsset = Pick<StoredAsset, "hash" | "content_type" | "bytes">;

/** How exactly it is recorded when an image was last loaded: one write a day at most. */
const loadedMs = 24 * 3_600_000;

/** The image of a public address, of which `file` is the last part: hash and ending. Null where there is none. */
export async function findPublic(
  ctx: Pick<Ctx, "db" | "now" | "log">,
  { environmentId, file }: { environmentId: string; file: string },
): Promise<PublicAsset | null> {
  const [, hash, ending] = /^([\da-f]{64})\.([a-z]{3,4})$/.exec(file) ?? [];
  if (hash === undefined || !isUuid(environmentId)) return null;
  const found = await findAssetBytes(ctx.db, environmentId, hash);
  if (!found || endings[found.content_type] !== ending) return null;
  const now = ctx.now();
  if (now.getTime() - (found.needed_at ?? found.created_at).getTime() > loadedMs) {
    // The image is served even where the database takes no writes.
    await markAssetNeeded(ctx.db, environmentId, { id: found.id, now }).catch((error: Error) =>
      ctx.log.warn({ error: error.message, assetId: found.id }, "cannot record that an image was loaded"),
    );
  }
  return found;
}
