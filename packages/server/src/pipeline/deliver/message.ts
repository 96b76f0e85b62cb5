// The message as a provider takes it, built from the stored row when it is sent. Attachments are read from the event
// and the access token of a chat workspace from its connection, so that neither is stored twice. The credentials of an
// integration are decrypted once for a batch: doing that for every message would cost more than building the request.
import { type Attachment, type ChatTarget, findProvider, type Message, type PeerDetails } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
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
import { loadPeerDetails } from "./peer-details.ts";

/** Settings of an integration for the messages sent through it. */
type Configurations = { configurationSetName?: string; maxPerSecond?: number };

/** `credentials` is null when they cannot be read. */
export type IntegrationSecrets = { credentials: JsonObject | null; configurations: Configurations };

/** Decrypts each integration when it is first used. */
export function createSecretsReader(
  ctx: Pick<Ctx, "secrets" | "log">,
): (integration: IntegrationRow) => IntegrationSecrets {
  const known = new Map<string, IntegrationSecrets>();
  return (integration) => {
    const read = known.get(integration.id) ?? readSecrets(ctx, integration);
    known.set(integration.id, read);
    return read;
  };
}

function readSecrets({ secrets, log }: Pick<Ctx, "secrets" | "log">, integration: IntegrationRow): IntegrationSecrets {
  const decrypt = (sealed: string | null) => (sealed ? JSON.parse(secrets.decrypt(sealed)) : {});
  try {
    return { credentials: decrypt(integration.credentials), configurations: decrypt(integration.configurations) };
  } catch (error) {
    log.error({ err: error, integration: integration.identifier }, "the credentials of an integration cannot be read");
    return { credentials: null, configurations: {} };
  }
}

/** Calls allowed per second: the setting, or what the provider is known to allow. Undefined: no limit. */
export const rateOf = (
  { provider_id }: Pick<IntegrationRow, "provider_id">,
  { configurations }: IntegrationSecrets,
): number | undefined => configurations.maxPerSecond ?? findProvider(provider_id)?.limits?.perSecond;

/** Without a readable token the provider reports what is missing. */
type ConnectionAccess = { accessToken?: string; workspace: string };

/** What the messages of a batch need in addition to their rows. */
type MessageParts = {
  /** By event. */
  attachments: ReadonlyMap<string, Attachment[]>;
  /** By channel connection. */
  accesses: ReadonlyMap<string, ConnectionAccess>;
  /** By message. */
  peerDetails: ReadonlyMap<string, PeerDetails>;
};

/** One query for the events that have attachments and one for the connections; none for a batch without them. */
export async function loadMessageParts(
  ctx: Ctx,
  sends: { message: MessageRow; integration: IntegrationRow }[],
): Promise<MessageParts> {
  const messages = sends.map(({ message }) => message);
  const withFiles = messages.filter(({ outgoing }) => outgoing?.attachments === true);
  const stored = await findEventAttachments(
    ctx.db,
    withFiles.map(({ environment_id, event_id }) => ({ environment_id, id: event_id })),
  );
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
  const connectionIds = messages.flatMap((message) => connectionIdOf(message) ?? []);
  const connections = await findConnectionAccess(ctx.db, [...new Set(connectionIds)]);
  const accesses = new Map(
    [...connections].map(([id, { auth, workspaceId }]): [string, ConnectionAccess] => {
      const accessToken = readAccessToken(ctx, auth);
      return [id, { ...(accessToken ? { accessToken } : {}), workspace: workspaceId }];
    }),
  );
  return { attachments, accesses, peerDetails: await loadPeerDetails(ctx, sends) };
}

function connectionIdOf({ channel, outgoing }: MessageRow): string | undefined {
  const target = channel === "chat" ? (outgoing?.target as StoredTarget | undefined) : undefined;
  return target && "connectionId" in target ? target.connectionId : undefined;
}

function readAccessToken(ctx: Ctx, auth: string): string {
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
  parts: MessageParts,
): Message {
  const peer = parts.peerDetails.get(message.id);
  const content = contentOf(message, providerId, configurations, parts);
  return peer ? { ...content, peer } : content;
}

function contentOf(
  message: MessageRow,
  providerId: string,
  { configurationSetName }: Configurations,
  parts: MessageParts,
): Message {
  const { id, subject, content } = message;
  switch (message.channel) {
    case "email": {
      const fields = fieldsFor<EmailFields>(message, providerId);
      const { to, cc, bcc, from, senderName, replyTo, headers, text, customData } = fields;
      const attachments = message.outgoing?.attachments === true ? parts.attachments.get(message.event_id) : undefined;
      const sender = { from, senderName, replyTo, headers, customData };
      const mail = { to, cc, bcc, ...sender, subject: subject ?? "", html: content ?? "", text, attachments };
      // Only Amazon SES has configuration sets; an override that names another one wins.
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
      // Apps report opened and dismissed pushes with this id.
      const data = { ...fields.data, tidingsMessageId: id };
      const { token } = fields;
      return { id, channel: "push", token, title: subject ?? "", body: content ?? "", data, ...extrasOf(fields) };
    }
    default: {
      const fields = message.outgoing as ChatFields;
      const target = withAccess(fields.target, parts);
      return { id, channel: "chat", target, text: content ?? "", ...extrasOf(fields) };
    }
  }
}

/** Adds the ids of workflow, event and subscriber to a mail: providers group their statistics by them. */
export function withOrigin(message: Message, state: DeliveryState): Message {
  if (message.channel !== "email") return message;
  const { workflow, transaction_id, subscriber } = state;
  const origin = { workflowId: workflow, transactionId: transaction_id, subscriberId: subscriber };
  return { ...message, origin: Object.fromEntries(Object.entries(origin).filter(([, id]) => id !== null)) };
}

/** Overrides for one provider replace the common fields. */
export function fieldsFor<Fields>(message: { outgoing: object | null }, providerId: string): Fields {
  const outgoing = message.outgoing as Routed<Fields>;
  return outgoing.perProvider?.[providerId] ?? outgoing;
}

const extrasOf = ({ extra, passthrough }: ProviderExtras): ProviderExtras => ({
  ...(extra ? { extra } : {}),
  ...(passthrough ? { passthrough } : {}),
});

function withAccess(target: StoredTarget, { accesses }: MessageParts): ChatTarget {
  if (!("connectionId" in target)) return target;
  const { connectionId, ...address } = target;
  return { ...address, ...(connectionId ? accesses.get(connectionId) : {}) };
}
