// The days that an environment keeps each class of data.
import type { Ctx } from "../../context.ts";
import { type RetentionDays, resolveRetention } from "../../pipeline/rules/retention.ts";
import { findRetention } from "../../store/environments/retention.ts";

export const retentionOf = async ({ db, config }: Ctx, environmentId: string): Promise<RetentionDays> =>
  resolveRetention(config, await findRetention(db, environmentId));
