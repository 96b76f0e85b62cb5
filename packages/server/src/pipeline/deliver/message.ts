// The message as a provider takes it, built from the stored row at the moment it is sent: attachments come from the event
// and the access to a chat workspace from its connection, so neither is ever stored twice.
import type { Attachment, ChatTarget, Message, PeerDetails } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { findEventAttachments } from "../../store/events/events.batch.ts";
import { findConnectionAccess } from "../../store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { DeliveryState } from "../../store/messages/attempts.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import { attachmentsFor } from "../rules/attachments.ts";
import type {
  ChatFields,
  EmailFields,
  ProviderExtras,
  PushFields,
  Routed,
  SmsFields,
  StoredTarget,
} from "../run/run.ts";
import type { Configurations } from "./integration-secrets.ts";
import { loadPeerDetails } from "./peer-details.ts";

/** A token that cannot be read counts as none: the provider then says what is missing. */
type Access = { accessToken?: string; workspace: string };

/** What the messages of a batch need beside their rows, by event, by connection and by message. */
export type Enclosures = {
  attachments: ReadonlyMap<string, Attachment[]>;
  accesses: ReadonlyMap<string, Access>;
  peers: ReadonlyMap<string, PeerDetails>;
};

type Sent = { message: MessageRow; integration: IntegrationRow };

/** One query for the events that have attachments and one for the connections, none where nothing needs them. */
export async function loadEnclosures(ctx: Ctx, sends: Sent[]): Promise<Enclosures> {
  const messages = sends.map(({ message }) => message);
  const withFiles = messages.filter(({ outgoing }) => outgoing?.attachments === true);
  const stored = await findEventAttachments(ctx.db, [...new Set(withFiles.map((one) => one.event_id))]);
  const attachments = new Map(
    stored.map((event): [string, Attachment[]] => [
      event.id,
      attachmentsFor(event, "email").map(({ name, mime, file, cid, disposition }) => ({
        name,
        mime,
        content: Buffer.from(file, "base64"),
        ...(cid ? { contentId: cid } : {}),
        ...(disposition ? { disposition } : {}),
      })),
    ]),
  );
  const connectionIds = messages.flatMap((message) => connectionOf(message) ?? []);
  const connections = await findConnectionAccess(ctx.db, [...new Set(connectionIds)]);
  const accesses = new Map(
    [...connections].map(([id, { auth, workspaceId }]): [string, Access] => {
      const accessToken = openToken(ctx, auth);
      return [id, { ...(accessToken ? { accessToken } : {}), workspace: workspaceId }];
    }),
  );
  return { attachments, accesses, peers: await loadPeerDetails(ctx, sends) };
}

function connectionOf({ channel, outgoing }: MessageRow): string | undefined {
  const target = channel === "chat" ? (outgoing?.target as StoredTarget | undefined) : undefined;
  return target && "connectionId" in target ? target.connectionId : undefined;
}

function openToken(ctx: Ctx, auth: string): string {
  try {
    return String((JSON.parse(ctx.secrets.decrypt(auth)) as { accessToken?: unknown }).accessToken ?? "");
  } catch (error) {
    ctx.log.error({ err: error }, "the access token of a channel connection cannot be read");
    return "";
  }
}

export function toProviderMessage(
  message: MessageRow,
  providerId: string,
  configurations: Configurations,
  enclosures: Enclosures,
): Message {
  const peer = enclosures.peers.get(message.id);
  const made = contentOf(message, providerId, configurations, enclosures);
  return peer ? { ...made, peer } : made;
}

function contentOf(
  message: MessageRow,
  providerId: string,
  { configurationSetName }: Configurations,
  enclosures: Enclosures,
): Message {
  const { id, subject, content } = message;
  switch (message.channel) {
    case "email": {
      const fields = fieldsFor<EmailFields>(message, providerId);
      const { to, cc, bcc, from, senderName, replyTo, headers, text, customData } = fields;
      const attachments =
        message.outgoing?.attachments === true ? enclosures.attachments.get(message.event_id) : undefined;
      const sender = { from, senderName, replyTo, headers, customData };
      const mail = { to, cc, bcc, ...sender, subject: subject ?? "", html: content ?? "", text, attachments };
      // Amazon SES alone knows such a thing; an override that names another one wins.
      const set = providerId === "ses" && configurationSetName ? { ConfigurationSetName: configurationSetName } : null;
      const extras = set ? { ...fields, extra: { ...set, ...fields.extra } } : fields;
      return { id, channel: "email", ...mail, ...extrasOf(extras) };
    }
    case "sms": {
      const fields = fieldsFor<SmsFields>(message, providerId);
      const { to, from, text = content ?? "" } = fields;
      return { id, channel: "sms", to, from, text, ...extrasOf(fields) };
    }
    case "push": {
      const fields = message.outgoing as PushFields;
      // Apps report what became of a push with this id.
      const data = { ...fields.data, tidingsMessageId: id };
      const { token } = fields;
      return { id, channel: "push", token, title: subject ?? "", body: content ?? "", data, ...extrasOf(fields) };
    }
    default: {
      const fields = message.outgoing as ChatFields;
      const target = withAccess(fields.target, enclosures);
      return { id, channel: "chat", target, text: content ?? "", ...extrasOf(fields) };
    }
  }
}

/** What the message belongs to goes along: providers keep it with a mail, and their statistics are grouped by it. */
export function withOrigin(message: Message, standing: DeliveryState): Message {
  if (message.channel !== "email") return message;
  const { workflow, transaction_id, subscriber } = standing;
  const origin = { workflowId: workflow, transactionId: transaction_id, subscriberId: subscriber };
  return { ...message, origin: Object.fromEntries(Object.entries(origin).filter(([, id]) => id !== null)) };
}

/** Overrides may be for one provider: then its fields replace the common ones. */
export function fieldsFor<Fields>(message: { outgoing: object | null }, providerId: string): Fields {
  const outgoing = message.outgoing as Routed<Fields>;
  return outgoing.perProvider?.[providerId] ?? outgoing;
}

const extrasOf = ({ extra, passthrough }: ProviderExtras): ProviderExtras => ({
  ...(extra ? { extra } : {}),
  ...(passthrough ? { passthrough } : {}),
});

function withAccess(target: StoredTarget, { accesses }: Enclosures): ChatTarget {
  if (!("connectionId" in target)) return target;
  const { connectionId, ...place } = target;
  return { ...place, ...(connectionId ? accesses.get(connectionId) : {}) };
}
