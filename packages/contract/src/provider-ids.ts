// The closed set of providers, by channel: 77, the in-app provider, which only in-app records carry, and those that
// Tidings adds to the 77.

export const providerIdsByChannel = {
  email: [
    "emailjs",
    "mailgun",
    "mailjet",
    "mandrill",
    "nodemailer",
    "postmark",
    "sendgrid",
    "sendinblue",
    "ses",
    "netcore",
    "infobip-email",
    "resend",
    "plunk",
    "mailersend",
    "mailtrap",
    "outlook365",
    "svc-email",
    "sparkpost",
    "email-webhook",
    "braze",
  ],
  sms: [
    "clickatell",
    "nexmo",
    "plivo",
    "sms77",
    "sms-central",
    "sns",
    "telnyx",
    "twilio",
    "gupshup",
    "firetext",
    "infobip-sms",
    "burst-sms",
    "bulk-sms",
    "isend-sms",
    "forty-six-elks",
    "kannel",
    "maqsam",
    "termii",
    "africas-talking",
    "svc-sms",
    "sendchamp",
    "generic-sms",
    "clicksend",
    "bandwidth",
    "messagebird",
    "simpletexting",
    "azure-sms",
    "ring-central",
    "brevo-sms",
    "eazy-sms",
    "mobishastra",
    "afro-message",
    "unifonic",
    "smsmode",
    "imedia",
    "sinch",
    "isendpro-sms",
  ],
  push: ["fcm", "apns", "expo", "one-signal", "pushpad", "push-webhook", "pusher-beams", "appio"],
  chat: [
    "slack",
    "discord",
    "msteams",
    "mattermost",
    "ryver",
    "zulip",
    "grafana-on-call",
    "getstream",
    "rocket-chat",
    "whatsapp-business",
    "chat-webhook",
    "svc-slack",
  ],
} as const;

export const inAppProviderId = "svc";

export const providerIds = [
  ...providerIdsByChannel.email,
  ...providerIdsByChannel.sms,
  ...providerIdsByChannel.push,
  ...providerIdsByChannel.chat,
] as const;

/** In addition to the 77: clients of Novu do not know these ids, so they appear only where an integration uses one. */
export const addedProviderIdsByChannel = { push: ["web-push"], chat: ["telegram"] } as const;

export const addedProviderIds = [...addedProviderIdsByChannel.push, ...addedProviderIdsByChannel.chat] as const;

export type ProviderId = (typeof providerIds)[number];
export type AnyProviderId = ProviderId | (typeof addedProviderIds)[number] | typeof inAppProviderId;
