import { email, richEmail } from "../../../support.ts";
import { providerCase } from "../../case.ts";

const url = "https://api.emailjs.com/api/v1.0/email/send";
const account = {
  service_id: "service_1",
  template_id: "template_1",
  user_id: "public-key-1",
  accessToken: "emailjs-s3cret-key",
};
const error = (status: number, body: string) => ({ status, body });

export default providerCase({
  id: "emailjs",
  docs: "https://www.emailjs.com/docs/rest-api/send/",
  credentials: {
    instanceId: "service_1",
    messageProfileId: "template_1",
    user: "public-key-1",
    accessKey: "emailjs-s3cret-key",
  },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      json: {
        ...account,
        template_params: {
          to_email: "ada@example.com",
          subject: "Hello",
          html: "<p>Hello Ada</p>",
          text: "Hello Ada",
        },
      },
    },
  },
  rich: {
    message: richEmail({ attachments: [], extra: { template_id: "template_2", template_params: { color: "red" } } }),
    request: {
      method: "POST",
      url,
      json: {
        ...account,
        template_id: "template_2",
        template_params: {
          to_email: "ada@example.com, b@example.com",
          to_name: "Ada Lovelace",
          cc_email: "c@example.com",
          bcc_email: "d@example.com",
          from_email: "team@example.com",
          from_name: "Team, North",
          reply_to: "help@example.com",
          subject: "Grüße 🎉",
          html: "<p>Hello Ada</p>",
          text: "Hello Ada",
          color: "red",
        },
      },
    },
  },
  accepted: { reply: { status: 200, body: "OK" } },
  errors: [
    {
      name: "a wrong key",
      reply: error(
        400,
        "The Public Key is invalid. To find this ID, visit https://dashboard.emailjs.com/admin/account",
      ),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "attachments, which other providers take",
      sending: { message: richEmail(), request: { method: "POST", url } },
      reply: { status: 200, body: "OK" },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an unknown service",
      reply: error(400, "The service ID not found"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "calls from servers switched off",
      reply: error(403, "API calls are disabled for non-browser applications"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a mail service that lost its login",
      reply: error(412, "Gmail_API: Invalid grant. Please reconnect your Gmail account"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "no recipient in the template",
      reply: error(422, "The recipients address is empty"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "broken parameters",
      reply: error(422, "One or more dynamic variables are corrupted"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the quota", reply: error(426, "Quota exceeded"), outcome: { kind: "rejected", class: "quota" } },
    { name: "the rate limit", reply: error(429, "Too many requests"), outcome: { kind: "retry" } },
  ],
});
