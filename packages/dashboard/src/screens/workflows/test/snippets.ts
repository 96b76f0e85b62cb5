// How to trigger the workflow from code, with the key left to an environment variable. Pure.

// Parts of code that is shown and never runs here.
const packageName = "@tidings/client";
const keyVariable = ["process", "env", "TIDINGS_API_KEY"].join(".");

export type Snippet = { workflowId: string; subscriberId: string; payload: object };

/** Lines after the first are moved to the right, so that a nested object reads as code. */
const indented = (value: unknown, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`);

export function nodeSnippet(baseUrl: string, { workflowId, subscriberId, payload }: Snippet): string {
  return [
    `import { createTidings } from ${JSON.stringify(packageName)};`,
    "",
    `const tidings = createTidings({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: ${keyVariable} });`,
    "",
    "await tidings.events.trigger({",
    "  body: {",
    `    name: ${JSON.stringify(workflowId)},`,
    `    to: ${JSON.stringify(subscriberId)},`,
    `    payload: ${indented(payload, 4)},`,
    "  },",
    "});",
  ].join("\n");
}
