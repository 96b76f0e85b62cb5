// What an erasure does with the tables of retractions: rules of tables.ts, which checks their type.

export const retractionTables = {
  supersede_keys: {
    does: "removed",
    what: "keys by which later events replace earlier ones; those of others lose the mention",
    scan: { key: { subscriber_id: "uuid", supersede_key: "text" }, columns: { supersede_key: "text" } },
  },
  retractions: {
    does: "rewritten",
    what: "recipients, keys, reasons and corrections",
    scan: {
      key: { id: "uuid" },
      columns: {
        transaction_id: "text",
        supersede_key: "text",
        recipient: "text",
        reason: "text",
        correction: "jsonb",
      },
    },
  },
  retracted_messages: {
    does: "rewritten",
    what: "responses of providers that retracted messages",
    scan: { key: { id: "uuid" }, columns: { reason: "text" } },
  },
} as const;
