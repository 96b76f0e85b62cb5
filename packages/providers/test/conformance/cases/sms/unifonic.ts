import { messageId, providerCase } from "../../case.ts";

const url = "https://el.cloud.unifonic.com/rest/SMS/messages";
const form = {
  AppSid: "unifonic-s3cret-appsid",
  SenderID: "ACME",
  Recipient: "966507679351",
  Body: "Hi",
  responseType: "JSON",
  CorrelationID: messageId,
};
const said = (status: number, errorCode: string, message: string) => ({
  status,
  body: { success: "false", message, errorCode, data: null },
});

export default providerCase({
  id: "unifonic",
  docs: "https://docs.unifonic.com/articles/products-documentation/sending-your-first-sms-via-unifonic-api",
  credentials: { appSid: "unifonic-s3cret-appsid", senderId: "ACME", from: "ACME-DEFAULT" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+966 50 767 9351", text: "Hi" },
    request: { method: "POST", url, form },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "966507679351",
      from: "UNISMS",
      text: "مرحبا & 🎉",
      extra: { MessageType: 6, async: false },
    },
    request: {
      method: "POST",
      url,
      form: { ...form, SenderID: "UNISMS", Body: "مرحبا & 🎉", MessageType: "6", async: "false" },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        success: true,
        message: "",
        errorCode: "ER-00",
        data: { MessageID: 3200017889310, CorrelationID: messageId, Status: "Queued", NumberOfUnits: 1 },
      },
    },
    providerMessageId: "3200017889310",
  },
  errors: [
    {
      name: "a wrong AppSid",
      reply: said(401, "ER-401", "Authentication failed"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: said(482, "ER-482", "Invalid dest num"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad number with a good status",
      reply: said(200, "ER-02", "Invalid destination number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: said(480, "ER-480", "This user cannot use specified SenderID"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: said(200, "ER-01", "No rate found or insufficient funds"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a long text",
      reply: said(412, "ER-412", "Message body is too long"),
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  quirks: {
    because: "Errors may come with 200, and the code in the body decides; 410 is a number that is not valid",
    invalidJson: "unknown",
    gone: { 410: { kind: "rejected", class: "recipient" } },
  },
});
