// The integrations of a chaos run and of the upgrade trial.

export const mailServerCredentials = (port: number) => ({
  name: "mail",
  channel: "email" as const,
  active: true,
  providerId: "nodemailer" as const,
  credentials: {
    ...{ from: "chaos@example.com", senderName: "Chaos" },
    ...{ host: "127.0.0.1", port: String(port), ignoreTls: true },
  },
});

export const texter = (port: number) => ({
  name: "text",
  channel: "sms" as const,
  active: true,
  providerId: "generic-sms" as const,
  credentials: {
    ...{ baseUrl: `http://127.0.0.1:${port}/`, apiKeyRequestHeader: "x-key", apiKey: "key" },
    ...{ idPath: "id", from: "12" },
  },
});
