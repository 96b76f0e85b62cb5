// The channels and the frequencies of digests with their names, in the order in which they are listed.
import type { Channel, DigestFrequency } from "@tidings/contract";

export const channelNames: Readonly<Record<Channel, string>> = {
  in_app: "In-app",
  email: "Email",
  sms: "SMS",
  chat: "Chat",
  push: "Push",
};

export const frequencyNames: Readonly<Record<DigestFrequency, string>> = {
  instant: "At once",
  hourly: "Every hour",
  daily: "Every day",
  weekly: "Every week",
};

export const channels = Object.keys(channelNames) as readonly Channel[];
