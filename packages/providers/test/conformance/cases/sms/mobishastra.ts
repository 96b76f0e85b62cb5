import { messageId, providerCase } from "../../case.ts";

const url = "https://mshastra.com/sendsms_api_json.aspx";
const item = {
  user: "20099999",
  pwd: "mshastra-s3cret-pw",
  number: "971501234567",
  msg: "Hi",
  sender: "AD-ACME",
  language: "English",
};
const said = (str_response: string, msg_id = "") => ({
  status: 200,
  body: [{ msg_id, number: "971501234567", str_response }],
});

export default providerCase({
  id: "mobishastra",
  docs: "https://telkosh.com/mobishastra/",
  credentials: { baseUrl: url, user: "20099999", password: "mshastra-s3cret-pw", from: "AD-ACME" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+971 50 123 4567", text: "Hi" },
    request: { method: "POST", url, json: [item] },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "971501234567",
      from: "OTHER",
      text: "مرحبا 🎉",
      extra: { priority: "High" },
    },
    request: {
      method: "POST",
      url,
      json: [{ ...item, sender: "OTHER", msg: "مرحبا 🎉", language: "Unicode", priority: "High" }],
    },
  },
  accepted: { reply: said("Send Successful", "8671230045"), providerMessageId: "8671230045" },
  errors: [
    { name: "a wrong password", reply: said("Invalid Password"), outcome: { kind: "rejected", class: "auth" } },
    { name: "a wrong profile", reply: said("Invalid Profile Id"), outcome: { kind: "rejected", class: "auth" } },
    { name: "no credits", reply: said("No More Credits"), outcome: { kind: "rejected", class: "quota" } },
    { name: "a foreign sender", reply: said("Invalid SenderID"), outcome: { kind: "rejected", class: "config" } },
    { name: "a bad number", reply: said("Invalid Mobile No."), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad text", reply: said("Blank message"), outcome: { kind: "rejected", class: "content" } },
  ],
  quirks: { because: "Every answer is 200, and its words decide", invalidJson: "unknown" },
});
