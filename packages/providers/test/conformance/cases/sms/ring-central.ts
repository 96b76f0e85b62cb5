import { messageId, providerCase } from "../../case.ts";

const server = "https://platform.devtest.ringcentral.com/restapi";
const url = `${server}/v1.0/account/~/extension/~/sms`;
const headers = { authorization: "Bearer rc-access-token-1" };

const token = {
  method: "POST",
  url: `${server}/oauth/token`,
  headers: { authorization: `Basic ${btoa("rc-client:rc-s3cret-client-key")}` },
  form: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "rc-s3cret.jwt.assertion" },
  reply: { status: 200, body: { access_token: "rc-access-token-1", token_type: "bearer", expires_in: 3600 } },
};

const error = (status: number, errorCode: string, message: string, parameterName?: string) => ({
  status,
  body: { errorCode, message, errors: [{ errorCode, message, parameterName }] },
});

export default providerCase({
  id: "ring-central",
  docs: "https://developers.ringcentral.com/guide/messaging/sms/sending-sms",
  credentials: {
    clientId: "rc-client",
    secretKey: "rc-s3cret-client-key",
    secure: true,
    token: "rc-s3cret.jwt.assertion",
    from: "+16505550100",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 415 555 2671", text: "Hi" },
    request: [
      token,
      {
        method: "POST",
        url,
        headers,
        json: { from: { phoneNumber: "+16505550100" }, to: [{ phoneNumber: "+14155552671" }], text: "Hi" },
      },
    ],
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+14155552671",
      from: "+16505550101",
      text: "Grüße 🎉",
      extra: { country: { isoCode: "US" } },
    },
    request: [
      token,
      {
        method: "POST",
        url,
        headers,
        json: {
          from: { phoneNumber: "+16505550101" },
          to: [{ phoneNumber: "+14155552671" }],
          text: "Grüße 🎉",
          country: { isoCode: "US" },
        },
      },
    ],
  },
  accepted: {
    reply: { status: 200, body: { id: 315433012010, type: "SMS", direction: "Outbound", messageStatus: "Queued" } },
    providerMessageId: "315433012010",
  },
  errors: [
    {
      name: "a wrong assertion",
      reply: { status: 400, body: { error: "invalid_grant", error_description: "Invalid assertion" } },
      at: 0,
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a token that is not taken",
      reply: error(401, "OAU-213", "Token not found"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "CMN-101", "Parameter [to.phoneNumber] value is invalid", "to.phoneNumber"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a number abroad",
      reply: error(400, "MSG-240", "International SMS is not supported"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a sender that cannot send",
      reply: error(403, "MSG-242", "The requested feature is not available"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a foreign sender",
      reply: error(403, "MSG-304", "Phone number doesn't belong to extension"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing scope",
      reply: error(403, "CMN-401", "In order to call this API endpoint, application needs to have [SMS] permission"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad text",
      reply: error(400, "CMN-101", "Parameter [text] value is invalid", "text"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the rate limit", reply: error(429, "CMN-301", "Request rate exceeded"), outcome: { kind: "retry" } },
  ],
  check: {
    request: [token, { method: "GET", url: `${server}/v1.0/account/~/extension/~`, headers }],
    ok: { status: 200, body: { id: 230919004, extensionNumber: "101" } },
    bad: error(403, "CMN-401", "permission"),
  },
});
