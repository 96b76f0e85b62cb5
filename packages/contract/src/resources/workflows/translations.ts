// Translations: the texts of a workflow or layout in one locale, used in templates as `t.<key>`.
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, openObject, type Static, Type, uploadedFile } from "../../schema.ts";

export const translatedResources = ["workflow", "layout"] as const;
export type TranslatedResource = (typeof translatedResources)[number];

const resourceType = oneOf(translatedResources);
const locale = Type.String({ format: "locale", description: "Such as `en_US` or `en-US`; kept as `en_US`" });
const content = openObject({ description: "Texts by key; keys may be nested" });
const resourceId = Type.String({ minLength: 1, description: "Internal id, identifier or slug" });

export const Translation = named("Translation", {
  resourceId: Type.String({ description: "Identifier of the workflow or layout" }),
  resourceType,
  locale: Type.String(),
  content,
  outdatedKeys: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Keys whose text in the default locale has changed since this text was written; absent if there are none",
    }),
  ),
  faults: Type.Optional(
    Type.Array(
      named("TranslationFault", {
        key: Type.String(),
        message: Type.String({ description: "What is wrong with the text as a template" }),
      }),
      { description: "Texts that cannot be rendered; absent if there are none" },
    ),
  ),
  createdAt: isoTime("When the texts were first stored"),
  updatedAt: isoTime("Last change"),
});
export type Translation = Static<typeof Translation>;

export const TranslationGroup = named("TranslationGroup", {
  resourceId: Type.String({ description: "Identifier of the workflow or layout" }),
  resourceType,
  resourceName: Type.String(),
  locales: Type.Array(Type.String()),
  outdatedLocales: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Locales that lack a key of the default locale; absent if there is no default locale or no other locale",
    }),
  ),
  createdAt: isoTime("For the first locale"),
  updatedAt: isoTime("Last change of any locale"),
});

/** A group with how complete each of its locales is. */
const TranslationOverview = named("TranslationOverview", {
  ...TranslationGroup.properties,
  completeness: Type.Array(
    named("LocaleCompleteness", {
      locale: Type.String(),
      keys: Type.Integer({ description: "Texts of this locale" }),
      missing: Type.Integer({ description: "Keys of the default locale that this one lacks" }),
      extra: Type.Integer({ description: "Keys that the default locale does not have" }),
      outdated: Type.Optional(
        Type.Integer({ description: "Texts whose source in the default locale has changed since; absent if none" }),
      ),
      faulty: Type.Optional(Type.Integer({ description: "Texts that cannot be rendered; absent if none" })),
    }),
  ),
});

const MasterImport = named("MasterImport", {
  success: Type.Boolean({ description: "The texts of at least one resource were stored; see `failed`" }),
  message: Type.String(),
  successful: Type.Optional(Type.Array(Type.String(), { description: "Identifiers whose texts were stored" })),
  failed: Type.Optional(
    Type.Array(Type.String(), { description: "Identifiers that do not exist or have no usable texts" }),
  ),
});
export type MasterImport = Static<typeof MasterImport>;

const groupPath = {
  resourceType: oneOf(translatedResources),
  resourceId: Type.String({ description: "Internal id, identifier or slug" }),
};
const notFound = ["WORKFLOW_NOT_FOUND", "LAYOUT_NOT_FOUND"] as const;

export const translationOperations = {
  "translations.create": operation({
    id: "translations.create",
    method: "POST",
    path: "/v2/translations",
    summary: "Store the texts of one locale",
    description: "Replaces the resource's texts in this locale, if any.",
    category: "global",
    audit: "everyone",
    body: named("TranslationIn", {
      resourceId,
      resourceType,
      locale,
      content,
      reviewed: Type.Optional(
        Type.Array(Type.String({ maxLength: 1_000 }), {
          maxItems: 10_000,
          description:
            "Dotted keys whose unchanged texts fit the current text of the default locale: no longer outdated",
        }),
      ),
    }),
    success: { status: 200, schema: Translation },
    errors: notFound,
  }),
  "translations.listGroups": operation({
    id: "translations.listGroups",
    method: "GET",
    path: "/v2/translations/groups",
    summary: "List the workflows and layouts that have texts",
    description: "Sorted by name.",
    category: "global",
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
      query: Type.Optional(Type.String({ description: "Part of the name or identifier" })),
    }),
    success: {
      status: 200,
      schema: named("TranslationGroupList", {
        groups: Type.Array(TranslationOverview),
        totalCount: Type.Integer(),
      }),
    },
    errors: [],
  }),
  "translations.retrieveGroup": operation({
    id: "translations.retrieveGroup",
    method: "GET",
    path: "/v2/translations/group/{resourceType}/{resourceId}",
    summary: "List the locales of a workflow or layout",
    category: "global",
    params: Type.Object(groupPath),
    success: { status: 200, schema: TranslationGroup },
    errors: [...notFound, "TRANSLATION_GROUP_NOT_FOUND"],
  }),
  "translations.listKeys": operation({
    id: "translations.listKeys",
    method: "GET",
    path: "/v2/translations/keys/{resourceType}/{resourceId}",
    summary: "List the keys that templates use",
    description:
      "Keys that the templates of a workflow or layout read as `t.<key>`, whether they have texts or not. A key of " +
      "plural forms is listed without the form. Computed keys are not known before a template is rendered.",
    category: "global",
    params: Type.Object(groupPath),
    success: {
      status: 200,
      schema: named("UsedTextKeys", {
        data: Type.Array(
          named("UsedTextKey", {
            key: Type.String({ description: "Dotted" }),
            places: Type.Array(Type.String(), { description: "Where it is used, such as `Email: subject`" }),
          }),
        ),
      }),
    },
    errors: [...notFound, "TRANSLATION_GROUP_NOT_FOUND"],
  }),
  "translations.retrieveMaster": operation({
    id: "translations.retrieveMaster",
    method: "GET",
    path: "/v2/translations/master-json",
    summary: "Retrieve all texts of one locale",
    category: "global",
    query: Type.Object({ locale: Type.Optional(Type.String({ format: "locale", default: "en_US" })) }),
    success: {
      status: 200,
      schema: named("MasterJson", {
        workflows: openObject({ description: "Texts by workflowId" }),
        layouts: openObject({ description: "Texts by layoutId" }),
      }),
    },
    errors: [],
  }),
  "translations.importMaster": operation({
    id: "translations.importMaster",
    method: "POST",
    path: "/v2/translations/master-json",
    summary: "Store the texts of many workflows and layouts in one locale",
    description: "Resources that the object does not name keep their texts.",
    category: "global",
    audit: "everyone",
    body: named("MasterImportIn", {
      locale,
      masterJson: named("MasterJsonIn", {
        workflows: Type.Optional(openObject({ description: "Texts by workflowId" })),
        layouts: Type.Optional(openObject({ description: "Texts by layoutId" })),
      }),
    }),
    success: { status: 200, schema: MasterImport },
    errors: [],
  }),
  "translations.uploadMaster": operation({
    id: "translations.uploadMaster",
    method: "POST",
    path: "/v2/translations/master-json/upload",
    summary: "Upload the texts of many workflows and layouts in one locale",
    category: "global",
    audit: "everyone",
    bodyType: "multipart",
    body: Type.Object({
      file: uploadedFile({ description: "`<locale>.json`, as translations.retrieveMaster returns it" }),
    }),
    success: { status: 200, schema: MasterImport },
    errors: ["MALFORMED_FORM", "MULTIPART_REQUIRED"],
  }),
  "translations.upload": operation({
    id: "translations.upload",
    method: "POST",
    path: "/v2/translations/upload",
    summary: "Upload the texts of one workflow or layout, one file per locale",
    description: "Files are checked one by one: an invalid file is listed in `errors` and does not affect the others.",
    category: "global",
    audit: "everyone",
    bodyType: "multipart",
    body: Type.Object({
      resourceId,
      resourceType,
      files: Type.Array(uploadedFile({ description: "`<locale>.json`" }), { minItems: 1, maxItems: 100 }),
    }),
    success: {
      status: 200,
      schema: named("TranslationUpload", {
        totalFiles: Type.Integer(),
        successfulUploads: Type.Integer(),
        failedUploads: Type.Integer(),
        errors: Type.Array(Type.String()),
      }),
    },
    errors: [...notFound, "MALFORMED_FORM", "MULTIPART_REQUIRED"],
  }),
  "translations.deleteGroup": operation({
    id: "translations.deleteGroup",
    method: "DELETE",
    path: "/v2/translations/{resourceType}/{resourceId}",
    summary: "Delete all texts of a workflow or layout",
    category: "global",
    audit: "everyone",
    params: Type.Object(groupPath),
    success: { status: 204 },
    errors: [...notFound, "TRANSLATION_GROUP_NOT_FOUND"],
  }),
  "translations.retrieve": operation({
    id: "translations.retrieve",
    method: "GET",
    path: "/v2/translations/{resourceType}/{resourceId}/{locale}",
    summary: "Retrieve the texts of one locale",
    category: "global",
    params: Type.Object({ ...groupPath, locale: Type.String() }),
    success: { status: 200, schema: Translation },
    errors: [...notFound, "TRANSLATION_GROUP_NOT_FOUND", "TRANSLATION_NOT_FOUND"],
  }),
  "translations.delete": operation({
    id: "translations.delete",
    method: "DELETE",
    path: "/v2/translations/{resourceType}/{resourceId}/{locale}",
    summary: "Delete the texts of one locale",
    category: "global",
    audit: "everyone",
    params: Type.Object({ ...groupPath, locale: Type.String() }),
    success: { status: 204 },
    errors: [...notFound, "TRANSLATION_GROUP_NOT_FOUND", "TRANSLATION_NOT_FOUND"],
  }),
};
