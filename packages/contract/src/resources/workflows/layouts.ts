// Layouts: the frame around the content of an email. A layout's body is a template with the root `content`.
import { identifiers, OriginWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import {
  isoTime,
  named,
  nullableBoolean,
  nullableOpenObject,
  nullableString,
  oneOf,
  openObject,
  type Static,
  Type,
} from "../../schema.ts";
import { StepIssues } from "./issues.ts";
import { User } from "./workflows.ts";

const editorTypes = ["html", "block"] as const;

export const LayoutControlValues = named("LayoutControlValues", {
  email: Type.Optional(
    named("LayoutEmailControls", {
      body: Type.String({ description: "HTML with `{{content}}` where the email's own content is inserted" }),
      editorType: oneOf(editorTypes),
    }),
  ),
});
export type LayoutControlValues = Static<typeof LayoutControlValues>;

export const Layout = named("Layout", {
  _id: Type.String(),
  layoutId: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  isDefault: Type.Boolean({ description: "The environment's default; emails without a layout use it" }),
  isTranslationEnabled: Type.Boolean(),
  updatedAt: isoTime("Last change"),
  updatedBy: Type.Optional(User),
  createdAt: isoTime("When the layout was created"),
  origin: OriginWord,
  type: oneOf(["REGULAR", "ECHO", "BRIDGE"]),
  variables: Type.Optional(nullableOpenObject({ description: "JSON Schema of what the body may use" })),
  controls: Type.Object({
    dataSchema: Type.Optional(openObject({ description: "JSON Schema of the control values" })),
    uiSchema: Type.Optional(openObject({ description: "How an editor should show them" })),
    values: LayoutControlValues,
  }),
  issues: Type.Optional(StepIssues),
});
export type Layout = Static<typeof Layout>;

const layoutName = Type.String({ minLength: 1, maxLength: 128 });
const isTranslationEnabled = Type.Optional(Type.Boolean({ default: false }));
const layoutPath = Type.Object({ layoutId: Type.String({ description: "Internal id, identifier or slug" }) });

/** What a preview can show of a subscriber; everything is optional. */
const PreviewSubscriber = named("PreviewSubscriber", {
  subscriberId: Type.Optional(Type.String()),
  firstName: Type.Optional(nullableString()),
  lastName: Type.Optional(nullableString()),
  email: Type.Optional(nullableString()),
  phone: Type.Optional(nullableString()),
  avatar: Type.Optional(nullableString()),
  locale: Type.Optional(nullableString()),
  timezone: Type.Optional(nullableString()),
  isOnline: Type.Optional(nullableBoolean()),
  lastOnlineAt: Type.Optional(nullableString()),
  data: Type.Optional(nullableOpenObject()),
});
const LayoutPreviewPayload = named("LayoutPreviewPayload", { subscriber: Type.Optional(PreviewSubscriber) });

export const layoutOperations = {
  "layouts.list": operation({
    id: "layouts.list",
    method: "GET",
    path: "/v2/layouts",
    summary: "List layouts",
    category: "configuration",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
      orderBy: Type.Optional(oneOf(["createdAt", "updatedAt", "name"], { default: "createdAt" })),
      orderDirection: Type.Optional(oneOf(["ASC", "DESC"], { default: "DESC" })),
      query: Type.Optional(Type.String({ description: "Part of the name or identifier" })),
    }),
    success: {
      status: 200,
      schema: named("LayoutList", { layouts: Type.Array(Layout), totalCount: Type.Integer() }),
    },
    errors: [],
  }),
  "layouts.create": operation({
    id: "layouts.create",
    method: "POST",
    path: "/v2/layouts",
    summary: "Create a layout",
    description: "The first layout of an environment becomes its default. A new layout shows only the content.",
    category: "configuration",
    audit: "everyone",
    body: named("LayoutIn", { layoutId: Type.String(identifiers.workflowId), name: layoutName, isTranslationEnabled }),
    success: { status: 201, schema: Layout },
    errors: ["LAYOUT_ID_TAKEN"],
  }),
  "layouts.retrieve": operation({
    id: "layouts.retrieve",
    method: "GET",
    path: "/v2/layouts/{layoutId}",
    summary: "Retrieve a layout",
    category: "configuration",
    params: layoutPath,
    success: { status: 200, schema: Layout },
    errors: ["LAYOUT_NOT_FOUND"],
  }),
  "layouts.update": operation({
    id: "layouts.update",
    method: "PUT",
    path: "/v2/layouts/{layoutId}",
    summary: "Update a layout",
    description: "Omitted fields do not change; `controlValues: null` removes the body.",
    category: "configuration",
    audit: "everyone",
    params: layoutPath,
    body: named("LayoutUpdate", {
      name: layoutName,
      isTranslationEnabled: Type.Optional(Type.Boolean()),
      controlValues: Type.Optional(Type.Union([LayoutControlValues, Type.Null()])),
      expectedUpdatedAt: Type.Optional(
        Type.String({
          format: "iso-time",
          description:
            "The `updatedAt` that the change is based on. If the layout has changed since, returns 409 and changes " +
            "nothing",
        }),
      ),
    }),
    success: { status: 200, schema: Layout },
    errors: ["LAYOUT_NOT_FOUND", "LAYOUT_CHANGED"],
  }),
  "layouts.delete": operation({
    id: "layouts.delete",
    method: "DELETE",
    path: "/v2/layouts/{layoutId}",
    summary: "Delete a layout",
    category: "configuration",
    audit: "everyone",
    params: layoutPath,
    success: { status: 204 },
    errors: ["LAYOUT_NOT_FOUND", "LAYOUT_IS_DEFAULT", "LAYOUT_IN_USE"],
  }),
  "layouts.duplicate": operation({
    id: "layouts.duplicate",
    method: "POST",
    path: "/v2/layouts/{layoutId}/duplicate",
    summary: "Duplicate a layout",
    description: "The copy gets an identifier derived from its name, and the original's translations.",
    category: "configuration",
    audit: "everyone",
    params: layoutPath,
    body: named("LayoutDuplicate", { name: layoutName, isTranslationEnabled }),
    success: { status: 201, schema: Layout },
    errors: ["LAYOUT_NOT_FOUND"],
  }),
  "layouts.preview": operation({
    id: "layouts.preview",
    method: "POST",
    isReadOnly: true,
    path: "/v2/layouts/{layoutId}/preview",
    summary: "Preview a layout",
    description: "Renders the layout, or the control values given, around sample content. Nothing is stored.",
    category: "configuration",
    params: layoutPath,
    body: named("LayoutPreviewIn", {
      controlValues: Type.Optional(LayoutControlValues),
      previewPayload: Type.Optional(LayoutPreviewPayload),
    }),
    success: {
      status: 201,
      schema: named("LayoutPreview", {
        previewPayloadExample: LayoutPreviewPayload,
        schema: Type.Optional(nullableOpenObject({ description: "JSON Schema of what the body may use" })),
        result: Type.Object({ type: oneOf(["email"]), preview: Type.Object({ body: Type.String() }) }),
      }),
    },
    errors: ["LAYOUT_NOT_FOUND"],
  }),
  "layouts.usage": operation({
    id: "layouts.usage",
    method: "GET",
    path: "/v2/layouts/{layoutId}/usage",
    summary: "List the workflows that use a layout",
    description: "Emails without a layout use the default one and count as its users.",
    category: "configuration",
    params: layoutPath,
    success: {
      status: 200,
      schema: named("LayoutUsage", {
        workflows: Type.Array(named("LayoutUser", { name: Type.String(), workflowId: Type.String() })),
      }),
    },
    errors: ["LAYOUT_NOT_FOUND"],
  }),
};
