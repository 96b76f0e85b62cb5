// What an erasure does with the tables of backtests: rules of tables.ts, which checks their type.

export const backtestTables = {
  backtest_differences: { does: "removed", what: "messages that would have been different, with the profile" },
  backtests: {
    does: "rewritten",
    what: "identifiers in changes and reports of backtests",
    scan: {
      key: { id: "uuid" },
      columns: { name: "text", change: "jsonb", tally: "jsonb", report: "jsonb" },
    },
  },
} as const;
