import { messageId, providerCase } from "../../case.ts";

const url = "https://apirest.isendpro.com/cgi-bin/sms";
const tracker = "0199a1b2000070008000000000000001";
const said = (status: number, code: string, message: string) => ({
  status,
  body: { etat: { etat: [{ code, tel: "33601020304", message }] } },
});

export default providerCase({
  id: "isendpro-sms",
  docs: "https://www.isendpro.com/docs/",
  credentials: { apiKey: "isendpro-s3cret-key", from: "isendpro" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+33 6 01 02 03 04", text: "Hi" },
    request: {
      method: "POST",
      url,
      json: {
        keyid: "isendpro-s3cret-key",
        num: "33601020304",
        sms: "Hi",
        emetteur: "isendpro",
        smslong: "999",
        tracker,
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "0601020304",
      from: "Acme",
      text: "Здравствуйте 🎉",
      extra: { nostop: "1", date_envoi: "2026-05-22 17:00" },
    },
    request: {
      method: "POST",
      url,
      json: {
        keyid: "isendpro-s3cret-key",
        num: "0601020304",
        sms: "Здравствуйте 🎉",
        emetteur: "Acme",
        smslong: "999",
        ucs2: "1",
        tracker,
        nostop: "1",
        date_envoi: "2026-05-22 17:00",
      },
    },
  },
  accepted: { reply: said(200, "0", "Votre message a bien ete envoye") },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 400, body: { etat: { etat: { code: "4", message: "Le keyid est invalide" } } } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an unassigned number",
      reply: said(200, "21", "Le numéro de téléphone n'est pas attribué!"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a number on the black list",
      reply: said(200, "11", "Le numéro de téléphone est dans la liste noire!"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an empty account",
      reply: said(400, "2", "Crédit insuffisant"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a bad sender",
      reply: said(400, "3", "L'émetteur est invalide"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad text",
      reply: said(400, "8", "Le message est vide"),
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  check: {
    request: {
      method: "GET",
      url: "https://apirest.isendpro.com/cgi-bin/credit?keyid=isendpro-s3cret-key&credit=1",
    },
    ok: { status: 200, body: { etat: { credit: "10.0" } } },
    bad: { status: 200, body: { etat: { etat: [{ code: "4", message: "Le keyid est invalide" }] } } },
  },
  quirks: { because: "Errors may come with 200, and the code in the body decides", invalidJson: "unknown" },
});
