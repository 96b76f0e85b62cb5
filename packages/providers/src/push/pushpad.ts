// Pushpad, push to browsers. Credentials: pushpad.xyz, account settings, Access tokens; the project id is in the
// address of the project. The device token is the uid under which the site registered the user. API:
// https://pushpad.xyz/docs/rest_api. Documentation seen: the content is inside `notification` there, while the newest
// client library writes it at the root of the body; the documentation is followed.

import { secret, text } from "../kit/credentials.ts";
import { rejected } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf } from "../kit/push.ts";
import { pushpadMembers } from "../kit/push-members.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, checkByStatus, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const projectUrl = (id: string): string => `https://pushpad.xyz/api/v1/projects/${encodeURIComponent(id)}`;
const headers = (apiKey: string) => ({ authorization: `Token token="${apiKey}"` });

export default defineProvider({
  id: "pushpad",
  channel: "push",
  name: "Pushpad",
  docs: "https://pushpad.xyz/docs/rest_api",
  help: "Create an access token in the account settings of Pushpad; the project ID is shown in the settings of the project.",
  credentials: { apiKey: secret("Auth Token"), applicationId: text("Project ID") },
  request: (message, { apiKey, applicationId }) =>
    post(`${projectUrl(applicationId)}/notifications`, {
      headers: headers(apiKey),
      json: {
        // custom_data is free text.
        notification: { title: message.title, body: message.body, custom_data: JSON.stringify(dataOf(message)) },
        uids: [message.token],
      },
    }),
  extraAt: ["notification"],
  overrideNames: pushpadMembers,
  read: (reply) => {
    if (reply.status < 300 && textAt(reply.json, "scheduled") === "0") {
      return rejected("recipient", "Pushpad knows no subscribed device of this uid");
    }
    return byStatus(reply, textAt(reply.json, "id"));
  },
  check: async ({ apiKey, applicationId }, io) =>
    checkByStatus(await io.http(get(projectUrl(applicationId), { headers: headers(apiKey) }))),
  receipts: genericReceipts("push"),
});
