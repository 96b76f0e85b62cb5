// What a notification is about, such as a tenant or a project: a context has a type, an id and the caller's data.
// Requests of other resources name contexts as a map from type to id (`ContextMap`), records carry them as sorted keys
// `<type>:<id>`.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, type JsonObject, named, oneOf, openObject, type Static, Type } from "../../schema.ts";

/** A context's type and its id: free of `:`, so that a key can be read back. */
export const contextPart = { pattern: "^[a-zA-Z0-9_-]+$", minLength: 1, maxLength: 100 } as const;

const contextData = (description: string) => openObject({ maxJsonBytes: 65_536, description });

export type ContextMap = Record<string, string | { id: string; data?: JsonObject }>;

/** `context` of a request: unknown contexts are created, known ones are used unchanged. */
export const ContextMap = Type.Unsafe<ContextMap>({
  title: "ContextMap",
  description: "Maps a context type to the context's id, or to `{id, data}` to give a new context its data",
  type: "object",
  maxProperties: 5,
  propertyNames: { type: "string", ...contextPart },
  additionalProperties: {
    anyOf: [
      { type: "string", ...contextPart },
      Type.Object({
        id: Type.String(contextPart),
        data: Type.Optional(contextData("Used when the context is created; at most 64 KB of JSON")),
      }),
    ],
  },
});

export const Context = named("Context", {
  type: Type.String(),
  id: Type.String(),
  data: openObject(),
  createdAt: isoTime("When the context was created"),
  updatedAt: isoTime("Last change"),
});
export type Context = Static<typeof Context>;

const contextPath = Type.Object({ type: Type.String(), id: Type.String() });

export const contextOperations = {
  "contexts.list": operation({
    id: "contexts.list",
    method: "GET",
    path: "/v2/contexts",
    summary: "List contexts",
    category: "configuration",
    query: Type.Object({
      ...cursorQuery,
      orderBy: Type.Optional(oneOf(["createdAt", "updatedAt"], { default: "createdAt" })),
      type: Type.Optional(Type.String({ description: "Exact" })),
      id: Type.Optional(Type.String({ description: "Exact" })),
      search: Type.Optional(Type.String({ description: "Part of the type or the id" })),
    }),
    success: { status: 200, schema: cursorList("ContextList", Context) },
    errors: [],
  }),
  "contexts.create": operation({
    id: "contexts.create",
    method: "POST",
    path: "/v2/contexts",
    summary: "Create a context",
    category: "configuration",
    body: named("ContextIn", {
      type: Type.String(contextPart),
      id: Type.String(contextPart),
      data: Type.Optional(contextData("At most 64 KB of JSON; `{}` when absent")),
    }),
    success: { status: 201, schema: Context },
    errors: ["CONTEXT_EXISTS"],
  }),
  "contexts.retrieve": operation({
    id: "contexts.retrieve",
    method: "GET",
    path: "/v2/contexts/{type}/{id}",
    summary: "Retrieve a context",
    category: "configuration",
    params: contextPath,
    success: { status: 200, schema: Context },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
  "contexts.update": operation({
    id: "contexts.update",
    method: "PATCH",
    path: "/v2/contexts/{type}/{id}",
    summary: "Replace a context's data",
    category: "configuration",
    params: contextPath,
    body: named("ContextPatch", { data: contextData("Replaces the stored data; at most 64 KB of JSON") }),
    success: { status: 200, schema: Context },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
  "contexts.delete": operation({
    id: "contexts.delete",
    method: "DELETE",
    path: "/v2/contexts/{type}/{id}",
    summary: "Delete a context",
    description: "Records with its key keep it; a later request that names the context creates it again.",
    category: "configuration",
    params: contextPath,
    success: { status: 204 },
    errors: ["CONTEXT_NOT_FOUND"],
  }),
};
