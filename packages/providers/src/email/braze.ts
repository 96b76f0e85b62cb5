// Braze. Credentials: Settings, APIs and Identifiers: a REST API key with messages.send and users.export.ids, the
// identifier of an app, and the REST endpoint of the instance. Braze sends to users it knows, so addresses are looked
// up first; each user gets a separate mail, so copies become recipients. API:
// https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages/ Lookup:
// https://www.braze.com/docs/api/endpoints/export/user_data/post_users_identifier/

import { destination, secret, text } from "../kit/credentials.ts";
import { literalLiquid, nonEmpty } from "../kit/email.ts";
import type { Io } from "../kit/io.ts";
import { formatMailbox, toMail } from "../kit/mail.ts";
import { rejected, retry, SendError } from "../kit/outcome.ts";
import { withOverrides } from "../kit/overrides.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, checkByStatus, failureByCode, textAt } from "../kit/reply.ts";
import { baseUrl, post } from "../kit/request.ts";
import { retryUnknown } from "../kit/token.ts";

type Profile = { external_id: string } | { alias: { alias_name: string; alias_label: string } };

async function profileOf(api: string, bearer: string, address: string, io: Io): Promise<Profile> {
  const json = { email_address: address, fields_to_export: ["external_id", "user_aliases"] };
  const reply = await retryUnknown(io.http(post(`${api}/users/export/ids`, { bearer, json })));
  if (reply.status < 200 || reply.status >= 300) throw new SendError(failureByCode(reply, undefined, {}));
  const users = typeof reply.json === "object" && reply.json !== null ? Reflect.get(reply.json, "users") : undefined;
  if (!Array.isArray(users)) throw new SendError(retry("Braze did not say which user has the address"));
  // An address may be on several profiles: one mail is enough, and a known user goes first.
  for (const user of users) {
    const external_id = textAt(user, "external_id");
    if (external_id) return { external_id };
  }
  const [alias_name, alias_label] = ["alias_name", "alias_label"].map((name) =>
    textAt(users, 0, "user_aliases", 0, name),
  );
  if (alias_name && alias_label) return { alias: { alias_name, alias_label } };
  // Any other provider would send there.
  throw new SendError(rejected("config", `Braze has no user with the address ${address}`));
}

// biome-ignore format: one line
const rootMembers = ["messages", "campaign_id", "send_id", "override_frequency_capping", "recipient_subscription_state"];

export default defineProvider({
  id: "braze",
  channel: "email",
  name: "Braze",
  docs: "https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages/",
  help: "Settings, APIs and Identifiers: a REST API key with messages.send and users.export.ids, and the app identifier.",
  credentials: {
    apiKey: secret("API Key"),
    apiURL: destination(text("REST endpoint URL")),
    appID: text("App ID"),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  limits: { recipients: 50 },
  overrideNames: { members: [...rootMembers, "preheader", "message_variation_id", "should_inline_css"] },
  send: async (message, { apiKey, apiURL, appID }, io) => {
    if (message.attachments?.length) {
      return rejected("config", "Braze fetches attachments from an address and takes none with a message");
    }
    const [api, mail] = [baseUrl(apiURL), toMail(message)];
    const profiles: Profile[] = [];
    for (const { address } of [...mail.to, ...mail.cc, ...mail.bcc]) {
      profiles.push(await profileOf(api, apiKey, address, io));
    }
    const ids = new Set(profiles.flatMap((profile) => ("external_id" in profile ? [profile.external_id] : [])));
    const aliases = profiles.flatMap((profile) => ("alias" in profile ? [profile.alias] : []));
    const email = {
      app_id: appID,
      from: formatMailbox(mail.from),
      reply_to: mail.replyTo?.address,
      subject: literalLiquid(mail.subject),
      body: literalLiquid(mail.html),
      plaintext_body: mail.text ? literalLiquid(mail.text) : undefined,
      headers: nonEmpty(mail.headers),
    };
    const json = {
      external_user_ids: ids.size > 0 ? [...ids] : undefined,
      user_aliases: aliases.length > 0 ? aliases : undefined,
      messages: { email },
    };
    const request = post(`${api}/messages/send`, { bearer: apiKey, json });
    const reply = await io.http(withOverrides(request, message, ["messages", "email"], { rootMembers }));
    return byStatus(reply, textAt(reply.json, "dispatch_id"));
  },
  check: async ({ apiKey, apiURL }, io) => {
    const json = { external_ids: ["tidings"], fields_to_export: ["external_id"] };
    return checkByStatus(await io.http(post(`${baseUrl(apiURL)}/users/export/ids`, { bearer: apiKey, json })));
  },
});
