// Statistics as CSV: a line for each hour or day, and with `breakdown` one for each workflow, channel and provider. The
// columns are the figures that the list returns, so a new figure is a new column automatically.
import { type Input, isJsonObject, type JsonObject } from "@tidings/contract";
import type { Caller, NetworkCtx } from "../../context.ts";
import { writeCsvRow } from "../../lib/text/csv.ts";
import { readPage } from "../export-pages.ts";
import { list } from "./statistics.ts";

type Line = Record<string, string>;

/** The members of an object in their own columns: `latency.p50`, `skipped.no_email`. */
function flatten(value: JsonObject, prefix = ""): Line {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, string][] => {
      if (member === undefined) return [];
      if (isJsonObject(member)) return Object.entries(flatten(member, `${prefix}${name}.`));
      return [[prefix + name, member === null ? "" : String(member)]];
    }),
  );
}

export async function exportStatistics(
  ctx: NetworkCtx,
  caller: Caller,
  _name: string | undefined,
  query: Input<"statistics.list">["query"],
): Promise<AsyncGenerator<string>> {
  const { data, totals, breakdown } = await readPage(ctx, caller, (db) =>
    list({ ...ctx, db }, caller, { params: {}, query, body: undefined } as Input<"statistics.list">),
  );
  const groups = Object.entries(breakdown ?? {}).flatMap(([kind, rows]) =>
    rows.map((row) => ({ kind, ...flatten(row as JsonObject) })),
  );
  const buckets = data.map((bucket) => ({ kind: query.granularity ?? "hour", ...flatten(bucket as JsonObject) }));
  return linesOf([...buckets, ...groups, { kind: "total", ...flatten(totals as JsonObject) }]);
}

/** What a line is about comes first, then the figures in the order in which the response has them. */
const first = ["kind", "start", "workflowId", "name", "channel", "providerId"];

async function* linesOf(lines: Line[]): AsyncGenerator<string> {
  const named = new Set(lines.flatMap((line) => Object.keys(line)));
  named.delete("_id");
  const columns = [...first.filter((name) => named.has(name)), ...[...named].filter((name) => !first.includes(name))];
  yield writeCsvRow(columns);
  yield lines.map((line) => writeCsvRow(columns.map((name) => line[name] ?? ""))).join("");
}
