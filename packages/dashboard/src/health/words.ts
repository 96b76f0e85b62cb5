import type { Channel } from "@tidings/contract";

// The words for an integration in trouble.
export const words = {
  messages: {
    email: ["email", "emails"],
    sms: ["text message", "text messages"],
    push: ["push message", "push messages"],
    chat: ["chat message", "chat messages"],
    in_app: ["message", "messages"],
  } as Record<Channel, readonly [one: string, many: string]>,
  outage: {
    silent: (name: string, since?: string) =>
      since ? `${name} has not responded since ${since}` : `${name} is not responding`,
    failing: (name: string, since?: string) =>
      since ? `${name} has been failing since ${since}` : `${name} keeps failing`,
    trying: "trying one message now",
    nextIn: (duration: string) => `next attempt in ${duration}`,
    nextSoon: "next attempt when the next message is due",
    waiting: (messages: string, count: number, next: string) =>
      `${messages} ${count === 1 ? "is" : "are"} waiting; ${next}.`,
    waitingSince: (messages: string, count: number, age?: string) =>
      `${messages} ${count === 1 ? "is" : "are"} waiting${age ? `, the oldest for ${age}` : ""}.`,
    nobody: (next: string) => `Nothing is waiting for it; ${next}.`,
    goingOut: (messages: string) => `${messages} waiting, sending now.`,
    badge: (messages: string) => `${messages} waiting`,
    tryNow: "Try now",
    tried: (name: string) => `Trying ${name} with one message`,
    back: (name: string) => `${name} is responding again`,
    stillAway: (name: string, summary?: string) =>
      summary ? `${name}: ${summary}` : `${name} will be tried with the next message`,
  },
} as const;
