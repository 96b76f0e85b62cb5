// The channels and their names, in the order in which they are listed.
import type { Channel } from "@tidings/contract";

export const channelNames: Readonly<Record<Channel, string>> = {
  in_app: "In-app",
  email: "Email",
  sms: "SMS",
  chat: "Chat",
  push: "Push",
};

export const channels = Object.keys(channelNames) as readonly Channel[];
