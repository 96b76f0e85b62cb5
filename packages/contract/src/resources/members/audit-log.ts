// The audit log: who changed what, before and after, from where. An addition of Tidings.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableOpenObject, nullableString, oneOf, type Static, Type } from "../../schema.ts";

export const AuditEntry = named("AuditEntry", {
  _id: Type.String(),
  createdAt: isoTime("When"),
  actor: named("AuditActor", {
    type: oneOf(["person", "key", "machine"], {
      description:
        "`machine`: the service itself, such as the runaway guard or a workflow with a step `update_subscriber`, or " +
        "somebody who has not signed in yet, such as the user of a first link",
    }),
    _id: nullableString({ description: "Id of the member or of the API key" }),
    name: Type.String({ description: "At that time" }),
  }),
  operation: Type.String({ description: "Operation id, such as `workflows.update`" }),
  action: Type.String({ description: "What was done, such as `changed the workflow`" }),
  environmentId: nullableString(),
  environmentName: nullableString({ description: "Its name today; null when it was deleted" }),
  target: nullableString({ description: "Id of what was changed" }),
  targetName: nullableString({
    description:
      "Its name at that time, such as that of a workflow, an integration or a member, or a suppressed address",
  }),
  before: nullableOpenObject({ description: "Changed fields only; secrets are masked, long values are cut" }),
  after: nullableOpenObject({ description: "Changed fields only; secrets are masked, long values are cut" }),
  address: nullableString({ description: "IP address of the request" }),
  userAgent: nullableString(),
});
export type AuditEntry = Static<typeof AuditEntry>;

const filters = {
  person: Type.Optional(Type.String({ description: "Id of a member" })),
  operation: Type.Optional(Type.String({ description: "Operation id, or the resource before its dot" })),
  environment: Type.Optional(Type.String({ description: "Id of an environment" })),
  subscriber: Type.Optional(Type.String({ description: "Id of a subscriber whom the change is about" })),
  from: Type.Optional(Type.String({ format: "iso-time", description: "Not before this time" })),
  to: Type.Optional(Type.String({ format: "iso-time", description: "Before this time" })),
};

export const exportFormats = ["csv", "json"] as const;

export const auditLogOperations = {
  "auditLog.list": operation({
    id: "auditLog.list",
    method: "GET",
    path: "/v1/audit-log",
    isFromReplica: true,
    summary: "List changes, newest first",
    description:
      "Changes by members, configuration changes by API keys, and calls of the tools for assistants. Kept for " +
      "`TIDINGS_AUDIT_DAYS`.",
    category: "global",
    feature: "dashboard",
    role: "editor",
    access: "member",
    query: Type.Object({
      ...cursorQuery,
      ...filters,
    }),
    success: { status: 200, schema: cursorList("AuditEntryList", AuditEntry) },
    errors: [],
  }),
  "auditLog.export": operation({
    id: "auditLog.export",
    method: "GET",
    path: "/v1/audit-log/export",
    isFromReplica: true,
    summary: "Export changes as CSV or JSON lines, newest first",
    description:
      "Returns a part of the file with at most 100 entries, and the cursor of the next part; the parts in sequence " +
      "form the file. The first part of a CSV starts with the column names. A cell that a spreadsheet would read as " +
      "a formula starts with an apostrophe.",
    category: "global",
    feature: "dashboard",
    role: "editor",
    access: "member",
    query: Type.Object({
      ...filters,
      format: Type.Optional(oneOf(exportFormats, { default: "csv", description: "`json`: one entry per line" })),
      after: Type.Optional(Type.String({ description: "`next` of the previous part" })),
    }),
    success: {
      status: 200,
      schema: named("AuditExport", {
        format: oneOf(exportFormats),
        text: Type.String({ description: "The part of the file" }),
        count: Type.Integer({ description: "Entries in this part" }),
        next: nullableString({ description: "Cursor of the next part; null when this is the last" }),
      }),
    },
    errors: [],
  }),
};
