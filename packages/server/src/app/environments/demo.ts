// The inbox on the page /inbox: one subscriber of the Development environment, to whom the page sends the example
// workflow. The page has no API key: it can do this one thing, and only while that environment opens inboxes without a
// hash.
import type { Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { listLiveKeys } from "../../store/environments/api-keys.ts";
import { findPublicEnvironment } from "../../store/environments/environments.ts";
import { triggerOne } from "../events/events.ts";
import { welcomeWorkflowId } from "./installation.ts";

const developmentIdentifier = "development";

/** The subscriber of the first command in the start banner: what that command sends is seen on the page as well. */
export const demoSubscriberId = "ada";

/**
 * The Development environment, as the owner of its newest key; null when there is none, or when it is not an
 * environment for development.
 */
export async function findDemoCaller(ctx: Ctx): Promise<Caller | null> {
  const environment = await findPublicEnvironment(ctx.db, developmentIdentifier);
  if (environment?.type !== "dev") return null;
  const key = (await listLiveKeys(ctx.db, environment.id)).at(-1);
  if (!key) return null;
  return {
    environmentId: environment.id,
    organizationId: environment.organization_id,
    environmentType: environment.type,
    environmentIdentifier: environment.identifier,
    userId: key.user_id,
    apiKeyId: key.id,
  };
}

export const sendWelcome = (ctx: Ctx, caller: Caller): Promise<Output<"events.trigger">> =>
  triggerOne(ctx, caller, { name: welcomeWorkflowId, to: demoSubscriberId, payload: { product: "Tidings" } });
