// What an erasure does with the tables of audiences and broadcasts: rules of tables.ts, which checks their type.

export const audienceTables = {
  audience_members: { does: "removed", what: "memberships of fixed audiences, with the profile" },
  subscriber_activity: { does: "removed", what: "when the person last read and opened messages, with the profile" },
  event_pages: { does: "rewritten", what: "the internal id among the people of an event, without a text" },
  audiences: { does: "remains", why: "written by members", mentions: ["name", "description", "rule"] },
  broadcasts: { does: "remains", why: "written by members", mentions: ["name", "content"] },
} as const;
