// The audit log: who changed what, before and after, from where. An addition of Tidings.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableOpenObject, nullableString, oneOf, type Static, Type } from "../../schema.ts";

export const AuditEntry = named("AuditEntry", {
  _id: Type.String(),
  createdAt: isoTime("When"),
  actor: named("AuditActor", {
    type: oneOf(["person", "key", "machine"], {
      description: "`machine`: a person before sign-in, such as a first link in use",
    }),
    _id: nullableString({ description: "Of the person, or of the API key" }),
    name: Type.String({ description: "At that time" }),
  }),
  operation: Type.String({ description: "Operation id, such as `workflows.update`" }),
  environmentId: nullableString(),
  target: nullableString({ description: "Id of what was changed" }),
  before: nullableOpenObject({ description: "Changed fields only; secrets are masked, long values are cut" }),
  after: nullableOpenObject({ description: "Changed fields only; secrets are masked, long values are cut" }),
  address: nullableString({ description: "IP address of the request" }),
  userAgent: nullableString(),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const auditLogOperations = {
  "auditLog.list": operation({
    id: "auditLog.list",
    method: "GET",
    path: "/v1/audit-log",
    summary: "List changes, newest first",
    description: "Changes by people, and changes of the configuration by API keys. Kept for `TIDINGS_AUDIT_DAYS`.",
    category: "global",
    access: "person",
    query: Type.Object({
      ...cursorQuery,
      person: Type.Optional(Type.String({ description: "Id of a person" })),
      operation: Type.Optional(Type.String({ description: "Operation id, or the resource before its dot" })),
      environment: Type.Optional(Type.String({ description: "Id of an environment" })),
      from: Type.Optional(Type.String({ format: "iso-time", description: "Not before this time" })),
      to: Type.Optional(Type.String({ format: "iso-time", description: "Before this time" })),
    }),
    success: { status: 200, schema: cursorList("AuditEntryList", AuditEntry) },
    errors: [],
  }),
};
