// Images of emails. The service stores their bytes and serves them publicly, under an address that never changes its
// content. An addition of Tidings.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type, uploadedFile } from "../../schema.ts";

export const assetContentTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type AssetContentType = (typeof assetContentTypes)[number];

/** Bytes of one image. */
export const maxAssetBytes = 5 * 1024 * 1024;

export const Asset = named("Asset", {
  id: Type.String(),
  url: Type.String({
    description: "Public address; a path of this service where `TIDINGS_PUBLIC_URL` is not set",
  }),
  contentType: oneOf(assetContentTypes, { description: "Read from the bytes, not from the name of the file" }),
  size: Type.Integer({ description: "Bytes" }),
  width: Type.Integer({ description: "Pixels" }),
  height: Type.Integer({ description: "Pixels" }),
  fileName: Type.Optional(Type.String()),
  createdAt: isoTime("When the image was first uploaded"),
});
export type Asset = Static<typeof Asset>;

export const assetOperations = {
  "assets.list": operation({
    id: "assets.list",
    method: "GET",
    path: "/v2/assets",
    summary: "List uploaded images",
    category: "configuration",
    query: Type.Object(cursorQuery),
    success: { status: 200, schema: cursorList("AssetList", Asset) },
    errors: [],
  }),
  "assets.create": operation({
    id: "assets.create",
    method: "POST",
    path: "/v2/assets",
    summary: "Upload an image for emails",
    description:
      "PNG, JPEG, GIF or WebP, at most 5 MB. An image that is already stored is returned with status 200. The address " +
      "of an image is public, and its content never changes.",
    category: "configuration",
    audit: "everyone",
    bodyType: "multipart",
    body: Type.Object({ file: uploadedFile({ description: "The image" }) }),
    success: { status: 201, also: 200, schema: Asset },
    errors: ["ASSET_TOO_LARGE", "ASSET_LIMIT_REACHED", "MALFORMED_FORM", "MULTIPART_REQUIRED"],
    bodyLimit: "bulk",
  }),
  "assets.delete": operation({
    id: "assets.delete",
    method: "DELETE",
    path: "/v2/assets/{assetId}",
    summary: "Delete an uploaded image",
    description: "Emails that show the image, including those already sent, then show its alternative text.",
    category: "configuration",
    audit: "everyone",
    params: Type.Object({ assetId: Type.String() }),
    success: { status: 204 },
    errors: ["ASSET_NOT_FOUND"],
  }),
};
