import {
  button,
  type GalleryTemplate,
  heading,
  inbox,
  mail,
  onlyIf,
  paragraph,
  payloadOf,
  scenarioOf,
  text,
} from "./kit.ts";

const payload = {
  inviter: "Grace Hopper",
  team: "Compilers",
  note: "We would love to have you.",
  acceptUrl: "https://app.example.com/invitations/7",
};

export default {
  name: "invitation",
  category: "team",
  about: "Invites a person to a team, with a personal note.",
  workflow: {
    workflowId: "invitation",
    name: "Invitation",
    description: "An invitation to a team.",
    tags: ["team"],
    validatePayload: true,
    payloadSchema: payloadOf(
      {
        inviter: text("Who invites"),
        team: text("The team"),
        note: text("A personal note"),
        acceptUrl: text("Where the invitation is accepted"),
      },
      ["note"],
    ),
    steps: [
      inbox("{{ payload.inviter }} invited you to {{ payload.team }}", "Accept to join the team.", {
        label: "Accept",
        url: "{{ payload.acceptUrl }}",
      }),
      mail("{{ payload.inviter }} invited you to {{ payload.team }}", [
        heading("Join {{ payload.team }}"),
        paragraph("**{{ payload.inviter }}** invited you to work together."),
        onlyIf("payload.note", { type: "blockquote", content: [paragraph("{{ payload.note }}")] }),
        button("Accept the invitation", "{{ payload.acceptUrl }}"),
      ]),
    ],
  },
  payload,
  scenario: scenarioOf("invitation", {
    name: "An invitation has its note and a link",
    payload,
    messages: [
      { to: "ada", channel: "in_app", subject: "Grace Hopper invited you to Compilers" },
      { to: "ada", channel: "email", body: { contains: "We would love to have you." }, links: [payload.acceptUrl] },
    ],
  }),
} satisfies GalleryTemplate;
