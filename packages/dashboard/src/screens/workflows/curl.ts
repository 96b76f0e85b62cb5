// A first workflow as a command for a terminal, with the key left to an environment variable.
import { baseUrl } from "../../api/client.ts";

const firstWorkflow = `{
    "workflowId": "welcome",
    "name": "Welcome",
    "active": true,
    "steps": [
      { "name": "In-app", "type": "in_app", "controlValues": { "body": "Hello {{subscriber.firstName}}" } }
    ]
  }`;

export const createCurl = (): string =>
  [
    `curl ${new URL("v2/workflows", baseUrl()).href} \\`,
    '  -H "Authorization: ApiKey $TIDINGS_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '${firstWorkflow}'`,
  ].join("\n");
