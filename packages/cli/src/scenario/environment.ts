// A throw-away environment with the workflows of the files, or of the environment in use. It is deleted in the end,
// whatever happens.
import { createTidings, TidingsError } from "@tidings/client/source";
import type { Environment } from "@tidings/contract";
import { CliError } from "../failure.ts";
import { applyRemote, planRemote } from "../files/remote.ts";
import type { TestedFiles } from "../files/tested-files.ts";
import type { Session } from "../session.ts";

export type Stage = Pick<Session, "tidings" | "environment" | "url">;

/** `files`: null for the workflows of the environment in use. */
export async function withStage<T>(
  session: Session,
  files: TestedFiles | null,
  { name, variables = {} }: { name: string; variables?: Record<string, string> },
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const environment = await createEnvironment(session, `${name} ${crypto.randomUUID().slice(0, 8)}`);
  const tidings = createTidings({ baseUrl: session.url, apiKey: environment.apiKeys![0]!.key, retries: 3 });
  try {
    const stage = { tidings, environment, url: session.url };
    // Before the workflows, which are refused when they use a variable that does not exist.
    for (const [key, value] of Object.entries(variables))
      await tidings.environmentVariables.create({
        body: { key, values: [{ _environmentId: environment._id, value }] },
      });
    await (files ? applyFiles(stage, files) : copyWorkflows(stage, session));
    return await use(stage);
  } finally {
    await tidings.environments.delete({ params: { environmentId: environment._id } });
  }
}

/** The environment has what the files say and nothing else. */
async function applyFiles(stage: Stage, { local, resources }: TestedFiles): Promise<void> {
  const wanted = { resources, prune: true };
  const { fingerprint } = await planRemote(stage, wanted, local);
  await applyRemote(stage, { ...wanted, expectedFingerprint: fingerprint }, local);
}

async function copyWorkflows({ tidings, environment }: Stage, session: Session): Promise<void> {
  const { results } = await tidings.environments.publish({
    params: { targetEnvironmentId: environment._id },
    body: { sourceEnvironmentId: session.environment._id },
  });
  const [failed] = results.flatMap((result) => result.failed);
  if (failed) throw new CliError(`${failed.resourceType} ${failed.resourceId} could not be copied: ${failed.error}`);
}

async function createEnvironment({ tidings, environment }: Session, name: string): Promise<Environment> {
  try {
    return await tidings.environments.create({
      body: { name, color: "#8a8a8a", linkSchemes: environment.linkSchemes },
    });
  } catch (error) {
    if (error instanceof TidingsError && error.code === "ENVIRONMENT_LIMIT")
      throw new CliError(`A scenario needs its own environment, and no more can be created: ${error.message}`, {
        fix: "Delete unused environments, run fewer scenarios in parallel with --parallel 1, or raise TIDINGS_MAX_ENVIRONMENTS.",
      });
    throw error;
  }
}
