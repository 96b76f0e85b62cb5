// The words of what several screens show of subscribers.
const subscribers = (count: number) => (count === 1 ? "1 subscriber" : `${count.toLocaleString()} subscribers`);

export const words = {
  subscribers,
  inbox: { unread: "Unread", snoozed: "Snoozed" },
  preference: {
    title: (count: number) => `Change a preference for ${subscribers(count)}`,
    titleAll: "Change a preference for everyone in this topic",
    text: "This replaces their own choice for this channel. They can change it again.",
    workflow: "Workflow",
    allWorkflows: "All workflows (global)",
    channel: "Channel",
    choice: "Choice",
    choices: { off: "Off", on: "On" },
    apply: (count: number | null) => (count === null ? "Change for everyone" : `Change for ${subscribers(count)}`),
    sentence: (channel: string, workflow: string | undefined, isOn: boolean, who: string) =>
      `${channel} ${workflow ? `from ${workflow}` : "from all workflows"} is turned ${isOn ? "on" : "off"} for ${who}.`,
    everyone: "everyone in this topic",
    done: (count: number) => `Changed for ${subscribers(count)}`,
    unknown: (count: number) => `${subscribers(count)} not found`,
    tooMany: "For topics with more than 5,000 subscribers, use the API: POST /v2/preferences/bulk, 500 at a time.",
  },
} as const;
