// The variables of the environments of a batch.
import type { Db } from "../db.ts";
import type { VariableRow } from "./variables.ts";

export const findVariablesOfBatch = async (db: Db, environmentIds: string[]): Promise<VariableRow[]> =>
  environmentIds.length === 0
    ? []
    : db.selectFrom("environment_variables").where("environment_id", "in", environmentIds).selectAll().execute();
