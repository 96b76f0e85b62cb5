// The surface of the package. No function of run/ throws, and no reason that it returns contains a credential.

export { createIo, type IoOptions } from "./io/io.ts";
export { createLookup } from "./io/lookup.ts";
export type { CredentialField, CredentialFields, Credentials } from "./kit/credentials.ts";
export type { Io } from "./kit/io.ts";
export type {
  Attachment,
  Channel,
  ChatMessage,
  ChatTarget,
  EmailMessage,
  Message,
  MessageOf,
  Origin,
  PeerDetails,
  PushMessage,
  SendingChannel,
  SmsMessage,
} from "./kit/message.ts";
export type { Access, CallbackParams, ConnectionResult, OauthRequest, Person } from "./kit/oauth.ts";
export type { CheckResult, Note, Outcome, RejectionClass } from "./kit/outcome.ts";
export type { Limits } from "./kit/provider.ts";
export { type InboundRequest, type Receipt, type ReceiptStatus, receiptStatuses } from "./kit/receipts.ts";
export type { Registration, ReportTarget } from "./kit/registration.ts";
export { type HttpReply, retryAfter } from "./kit/reply.ts";
export type { SentMessage } from "./kit/unsend.ts";
export { makeVapidKeys } from "./push/web-push.ts";
export { authorizationUrl, check, connectWorkspace, findOauth, identifyPerson, registerReceipts } from "./run/ask.ts";
export {
  findProvider,
  listProviders,
  movedDestinations,
  type ProviderInfo,
  secretFields,
  unsendingOf,
  validateCredentials,
} from "./run/catalogue.ts";
export { type ConnectionFault, findConnectionFault, summarizeError } from "./run/connection-faults.ts";
export { secretTlsMembers } from "./run/secrets.ts";
export { send } from "./run/send.ts";
export { type Unsending, type UnsendOutcome, unsend } from "./run/unsend.ts";
export { type CredentialFault, credentialMembers } from "./run/validate-credentials.ts";
export { answerChallenge, readReceipts, receiptKey, verifyReceipt } from "./run/verify.ts";
