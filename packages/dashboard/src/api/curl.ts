// Requests as commands for a terminal, with the key left to an environment variable.
import { baseUrl } from "./client.ts";

/** A text inside single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function triggerCurl(body: object): string {
  return [
    `curl -X POST ${quoted(new URL("v1/events/trigger", baseUrl()).href)} \\`,
    '  -H "Authorization: ApiKey $TIDINGS_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}
