// All execution details: those that every run may have, and those of each step type.
import type { StoredDetail } from "../../store/tables.ts";
import { attentionDetails } from "../attention/details.ts";
import { type DetailEntry, details } from "../rules/details.ts";
import { stepHandlers } from "./registry.gen.ts";

export const catalogue: Readonly<Record<string, DetailEntry>> = Object.assign(
  {},
  details,
  attentionDetails,
  ...Object.values(stepHandlers).map((handler) => handler.details),
);

/** The entry of a stored detail; undefined for a name that an older version stored and the catalogue no longer has. */
export const findEntry = ({ d }: Pick<StoredDetail, "d">): DetailEntry | undefined => catalogue[d];
