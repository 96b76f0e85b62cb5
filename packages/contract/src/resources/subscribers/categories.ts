// Categories: named groups of workflows, in which subscribers choose channels together.
import { identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, type Static, Type } from "../../schema.ts";
import { PreferenceChannels, PreferenceChannelsIn } from "./preferences.ts";

/** Categories of an environment. */
export const maxCategories = 100;

export const Category = named("PreferenceCategory", {
  _id: Type.String(),
  categoryId: Type.String({ description: "Identifier, the same in all environments" }),
  name: Type.String(),
  description: Type.String({ description: "Shown to subscribers below the name" }),
  required: Type.Boolean({ description: "true: subscribers cannot switch it off" }),
  channels: PreferenceChannels,
  workflows: Type.Array(named("CategoryWorkflow", { workflowId: Type.String(), name: Type.String() })),
  createdAt: isoTime("When it was created"),
  updatedAt: isoTime("Last change"),
});
export type Category = Static<typeof Category>;

const members = {
  description: Type.Optional(Type.String({ maxLength: 500 })),
  required: Type.Optional(Type.Boolean({ default: false })),
  /** What applies until a subscriber chooses; a channel that is left out is decided by the workflow. */
  channels: Type.Optional(PreferenceChannelsIn),
};

const categoryName = Type.String({ minLength: 1, maxLength: 128, pattern: "\\S" });
const path = Type.Object({ categoryId: Type.String({ description: "Identifier" }) });

export const CategoryIn = named("CategoryIn", {
  categoryId: Type.String(identifiers.workflowId),
  name: categoryName,
  ...members,
});

export const categoryOperations = {
  "categories.list": operation({
    id: "categories.list",
    method: "GET",
    path: "/v2/preference-categories",
    summary: "List categories",
    description: `All of them, in the order in which subscribers see them. An environment has up to ${maxCategories}.`,
    category: "configuration",
    success: { status: 200, schema: named("CategoryList", { categories: Type.Array(Category) }) },
    errors: [],
  }),
  "categories.create": operation({
    id: "categories.create",
    method: "POST",
    path: "/v2/preference-categories",
    summary: "Create a category",
    description:
      "It becomes the last one. Workflows join it with their `categoryId`. `channels` applies until a subscriber " +
      "chooses; a channel that is left out is decided by the workflow.",
    category: "configuration",
    audit: "everyone",
    body: CategoryIn,
    success: { status: 201, schema: Category },
    errors: ["CATEGORY_ID_TAKEN", "CATEGORY_LIMIT"],
  }),
  "categories.updateOrder": operation({
    id: "categories.updateOrder",
    method: "PUT",
    path: "/v2/preference-categories/order",
    summary: "Order the categories",
    description: "The list names every category of the environment once.",
    category: "configuration",
    audit: "everyone",
    body: named("CategoryOrder", {
      categoryIds: Type.Array(Type.String(), { minItems: 1, maxItems: maxCategories }),
    }),
    success: { status: 200, schema: named("CategoriesInOrder", { categories: Type.Array(Category) }) },
    errors: [],
  }),
  "categories.retrieve": operation({
    id: "categories.retrieve",
    method: "GET",
    path: "/v2/preference-categories/{categoryId}",
    summary: "Retrieve a category",
    category: "configuration",
    params: path,
    success: { status: 200, schema: Category },
    errors: ["CATEGORY_NOT_FOUND"],
  }),
  "categories.update": operation({
    id: "categories.update",
    method: "PATCH",
    path: "/v2/preference-categories/{categoryId}",
    summary: "Update a category",
    description: "Omitted members do not change; `channels` is replaced as a whole.",
    category: "configuration",
    audit: "everyone",
    params: path,
    body: named("CategoryPatch", { name: Type.Optional(categoryName), ...members }),
    success: { status: 200, schema: Category },
    errors: ["CATEGORY_NOT_FOUND"],
  }),
  "categories.delete": operation({
    id: "categories.delete",
    method: "DELETE",
    path: "/v2/preference-categories/{categoryId}",
    summary: "Delete a category",
    description:
      "Refused while workflows are in it. If subscribers have made choices for it, it is refused with their number; " +
      "`force` deletes their choices too.",
    category: "configuration",
    audit: "everyone",
    params: path,
    query: Type.Object({
      force: Type.Optional(Type.Boolean({ default: false, description: "Also delete the choices of subscribers" })),
    }),
    success: { status: 204 },
    errors: ["CATEGORY_NOT_FOUND", "CATEGORY_IN_USE", "CATEGORY_HAS_CHOICES"],
  }),
};
