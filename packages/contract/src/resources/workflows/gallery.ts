// The gallery: workflows that many applications need, ready to use. An addition of Tidings.
import { ChannelWord, identifiers } from "../../common.ts";
import { galleryCategories } from "../../gallery/kit.ts";
import { operation } from "../../operation.ts";
import { named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { Workflow, workflowName } from "./workflows.ts";

const entry = {
  name: Type.String({ description: "Names the template, such as `order-confirmed`" }),
  title: Type.String(),
  category: oneOf(galleryCategories),
  about: Type.String({ description: "What it is for, in one sentence" }),
  channels: Type.Array(ChannelWord, { description: "In the order of its steps" }),
  isCritical: Type.Boolean({ description: "Subscribers cannot switch it off" }),
};

const GalleryEntry = named("GalleryEntry", entry);
export type GalleryEntry = Static<typeof GalleryEntry>;

const GalleryPreview = named("GalleryPreview", {
  channel: ChannelWord,
  subject: nullableString({ description: "null for channels without one" }),
  body: Type.String({ description: "The HTML of an email, in the layout of the brand; the text of all others" }),
});
export type GalleryPreview = Static<typeof GalleryPreview>;

const galleryPath = Type.Object({ name: Type.String({ description: "`name` of `gallery.list`" }) });

export const galleryOperations = {
  "gallery.list": operation({
    id: "gallery.list",
    method: "GET",
    path: "/v2/gallery",
    summary: "List the gallery's workflows",
    category: "configuration",
    success: { status: 200, schema: named("Gallery", { templates: Type.Array(GalleryEntry) }) },
    errors: [],
  }),
  "gallery.retrieve": operation({
    id: "gallery.retrieve",
    method: "GET",
    path: "/v2/gallery/{name}",
    summary: "Retrieve a workflow of the gallery",
    description: "With a preview of each message in the brand of the environment, a sample payload and a scenario.",
    category: "configuration",
    params: galleryPath,
    success: {
      status: 200,
      schema: named("GalleryTemplate", {
        ...entry,
        workflowId: Type.String({ description: "An identifier that is free in the environment" }),
        payload: openObject({ description: "A sample that `payloadSchema` accepts" }),
        payloadSchema: openObject({ description: "JSON Schema of the payload" }),
        scenario: Type.String({ description: "A scenario file, for `tidings test`" }),
        previews: Type.Array(GalleryPreview),
      }),
    },
    errors: ["GALLERY_TEMPLATE_NOT_FOUND"],
  }),
  "gallery.use": operation({
    id: "gallery.use",
    method: "POST",
    path: "/v2/gallery/{name}/use",
    summary: "Create a workflow from the gallery",
    description:
      "The workflow is like any other afterwards. If the environment has no layout and the workflow sends email, the " +
      "layout of the brand is created as well. Nothing that exists is changed.",
    category: "configuration",
    audit: "everyone",
    isBodyOptional: true,
    params: galleryPath,
    body: named("GalleryUse", {
      workflowId: Type.Optional(
        Type.String({ ...identifiers.workflowId, description: "Default: the template's name, with a number if taken" }),
      ),
      name: Type.Optional(workflowName),
    }),
    success: { status: 201, schema: Workflow },
    errors: ["GALLERY_TEMPLATE_NOT_FOUND", "WORKFLOW_ID_TAKEN"],
  }),
};
