// The words of "Send this email again"; the rest of the screen has its own.
import type { Channel } from "@tidings/contract";

const message: Record<Channel, string> = {
  email: "email",
  sms: "SMS",
  push: "push message",
  chat: "chat message",
  in_app: "in-app message",
};

const without: Partial<Record<Channel, string>> = { email: "no email address", sms: "no phone number" };

export const words = {
  again: (channel: Channel) => `Send this ${message[channel]} again`,
  now: (channel: Channel) => `Send this ${message[channel]} now`,
  title: (channel: Channel, isNow: boolean) => `Send this ${message[channel]} ${isNow ? "now" : "again"}?`,
  goesTo: (subscriber: string, place: string, environment: string) =>
    `It will be sent to ${subscriber} (${place}) in ${environment}.`,
  alone: "Only this step is sent; no other step of the event runs again.",
  real: (channel: Channel) => `A real person will get this ${message[channel]}.`,
  places: { in_app: "their inbox", push: "all of their devices", chat: "their chat channels" },
  missing: (subscriber: string, channel: Channel) => `${subscriber} has ${without[channel] ?? "no address"}.`,
  addAddress: "Add one",
  send: "Send",
  sent: "On its way",
  sentAgain: "Sent again by",
} as const;
