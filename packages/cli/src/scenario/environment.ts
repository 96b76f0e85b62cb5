// A throw-away environment with the workflows of the one in use. It is deleted in the end, whatever happens.
import { createTidings, TidingsError } from "@tidings/client/source";
import type { Environment } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Session } from "../session.ts";

export type Stage = Pick<Session, "tidings" | "environment">;

export async function withStage<T>(session: Session, name: string, use: (stage: Stage) => Promise<T>): Promise<T> {
  const environment = await createEnvironment(session, name);
  const tidings = createTidings({ baseUrl: session.url, apiKey: environment.apiKeys![0]!.key, retries: 3 });
  try {
    const { results } = await tidings.environments.publish({
      params: { targetEnvironmentId: environment._id },
      body: { sourceEnvironmentId: session.environment._id },
    });
    const [failed] = results.flatMap((result) => result.failed);
    if (failed) throw new CliError(`${failed.resourceType} ${failed.resourceId} could not be copied: ${failed.error}`);
    return await use({ tidings, environment });
  } finally {
    await tidings.environments.delete({ params: { environmentId: environment._id } });
  }
}

async function createEnvironment({ tidings }: Session, name: string): Promise<Environment> {
  try {
    return await tidings.environments.create({ body: { name, color: "#8a8a8a" } });
  } catch (error) {
    if (error instanceof TidingsError && error.code === "ENVIRONMENT_LIMIT")
      throw new CliError(
        `A scenario needs an environment of its own, and there is room for no more: ${error.message}`,
        {
          fix: "Delete environments that are not used, run fewer at once with --parallel 1, or raise TIDINGS_MAX_ENVIRONMENTS.",
        },
      );
    throw error;
  }
}
