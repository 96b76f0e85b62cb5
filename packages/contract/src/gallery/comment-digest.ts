import {
  button,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  paragraph,
  payloadOf,
  repeat,
  scenarioOf,
  text,
} from "./kit.ts";

const payload = {
  author: "Grace",
  text: "Well done!",
  document: "Flow-matic",
  url: "https://app.example.com/documents/1",
};

export default {
  name: "comment-digest",
  category: "team",
  about: "Shows every comment in the inbox, and sends the comments of an hour as one email.",
  workflow: {
    workflowId: "comment-digest",
    name: "Comment digest",
    description: "Comments in the inbox at once, by email once an hour.",
    tags: ["team"],
    validatePayload: true,
    payloadSchema: payloadOf({
      author: text("Who wrote"),
      text: text("The comment"),
      document: text("What it is about"),
      url: text("Where it is read"),
    }),
    steps: [
      inbox("{{ payload.author }} commented on {{ payload.document }}", "{{ payload.text }}", {
        url: "{{ payload.url }}",
      }),
      {
        stepId: "collect",
        name: "Collect",
        type: "digest",
        controlValues: { type: "regular", amount: 1, unit: "hours" },
      },
      mail(
        "{{ steps.collect.eventCount }} new {% if steps.collect.eventCount == 1 %}comment{% else %}comments{% endif %}",
        [
          heading("New comments"),
          repeat(
            "steps.collect.events",
            paragraph(
              "**{{ steps.collect.events.payload.author }}** on {{ steps.collect.events.payload.document }}: " +
                "{{ steps.collect.events.payload.text }}",
            ),
          ),
          button("Read and reply", "{{ payload.url }}"),
        ],
      ),
    ],
  },
  payload,
  scenario: scenarioOf("comment-digest", {
    name: "The comments of an hour are one email",
    payload,
    when: [
      { at: "+0m", trigger: "comment-digest", to: "ada", payload },
      { at: "+20m", trigger: "comment-digest", to: "ada", payload: { ...payload, author: "Radia", text: "Agreed" } },
    ],
    messages: [
      { to: "ada", channel: "in_app", at: "+0m", body: "Well done!" },
      { to: "ada", channel: "in_app", at: "+20m", body: "Agreed" },
      {
        to: "ada",
        channel: "email",
        at: "+1h",
        subject: "2 new comments",
        body: { matches: "Grace on Flow-matic: Well done![\\s\\S]*Radia on Flow-matic: Agreed" },
      },
    ],
  }),
} satisfies GalleryTemplate;
