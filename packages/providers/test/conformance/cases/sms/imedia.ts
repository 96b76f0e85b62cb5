import { messageId, providerCase } from "../../case.ts";

const url = "https://api.mobilebranding.vn/api/SMSBrandname/SendSMS";
const headers = { token: "imedia-s3cret-token" };
const json = {
  to: "84901234567",
  from: "ACME",
  message: "Hi",
  scheduled: "",
  requestId: messageId,
  useUnicode: 0,
  type: 1,
};

function said(errorCode: string, errorMessage: string, status = 200) {
  return {
    status,
    body: {
      sendMessage: json,
      msgLength: 2,
      mtCount: 1,
      account: "acme",
      errorCode,
      errorMessage,
      referentId: "3eb39535",
    },
  };
}

export default providerCase({
  id: "imedia",
  docs: "https://www.scribd.com/document/604805861/API-MobileBranding-v1-0-Imedia-2",
  credentials: { token: "imedia-s3cret-token", from: "ACME" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+84 90 123 4567", text: "Hi" },
    request: { method: "POST", url, headers, json },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "84901234567",
      from: "OTHER",
      text: "Xin chào bạn 🎉",
      extra: { telco: "VTL", ext: { campaign: "spring" } },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        ...json,
        from: "OTHER",
        message: "Xin chào bạn 🎉",
        useUnicode: 1,
        telco: "VTL",
        ext: { campaign: "spring" },
      },
    },
  },
  accepted: { reply: said("000", ""), providerMessageId: "3eb39535" },
  errors: [
    { name: "a wrong token", reply: { status: 401, body: "" }, outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a wrong token with a good status",
      reply: said("101", "Invalid token"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an unknown brand name",
      reply: said("102", "Brandname not registered"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad number",
      reply: said("103", "Invalid phone", 400),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an empty account",
      reply: said("104", "Not enough balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a bad text", reply: said("105", "Message too long"), outcome: { kind: "rejected", class: "content" } },
  ],
  quirks: { because: "Every answer may be 200, and its code decides", invalidJson: "unknown" },
});
