// The integrations of the load.

export const mailServerCredentials = (port: number) => ({
  name: "mail",
  channel: "email" as const,
  active: true,
  providerId: "nodemailer" as const,
  credentials: {
    ...{ from: "upgrade@example.com", senderName: "Upgrade" },
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
