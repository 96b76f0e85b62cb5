// The workflow that sends roll-ups: one step for each channel, of which the one that an event names runs. It is created
// with the first budget that rolls up, and people change it as they like.
import { rollUpWorkflowId } from "../attention.ts";
import type { Channel } from "../common.ts";
import type { WorkflowFile } from "../resources/workflows/files.ts";
import { heading, inbox, listOf, mail, number, paragraph, payloadOf, push, repeat, sms, text } from "./kit.ts";

const count = `{{ payload.itemCount }} {% if payload.itemCount == 1 %}update{% else %}updates{% endif %}`;
/** Texts are short: the first titles, and how many more there are. */
const titles =
  "{% for item in payload.items limit: 3 %}{{ item.title }}{% unless forloop.last %}; {% endunless %}{% endfor %}" +
  "{% if payload.itemCount > 3 %} and {{ payload.itemCount | minus: 3 }} more{% endif %}";

const onlyFor = (channel: Channel) => ({ skip: { "!=": [{ var: "payload.channel" }, channel] } });

export const rollUpWorkflow: WorkflowFile = {
  workflowId: rollUpWorkflowId,
  name: "Roll-up",
  description: "What was over the attention budget, as one message. Each item is a message that was held.",
  tags: ["attention"],
  payloadSchema: payloadOf({
    channel: text("The channel that the items were held in"),
    itemCount: number("How many items there are"),
    items: listOf({
      title: text("The subject of the message, or the name of its workflow"),
      text: text("The beginning of its text"),
      url: text("Where it leads; empty if nowhere"),
      workflow: text("The name of its workflow"),
      time: text("When it was held"),
    }),
  }),
  steps: [
    inbox(`${count} for you`, titles, { stepId: "in-app", controlValues: onlyFor("in_app") }),
    mail(
      `${count}: {{ payload.items[0].title | truncate: 60 }}`,
      [
        heading("What happened"),
        repeat(
          "payload.items",
          paragraph("**{{ payload.items.title }}**"),
          paragraph("{{ payload.items.text }}"),
          paragraph("{{ payload.items.workflow }} · {{ payload.items.time }} {{ payload.items.url }}"),
        ),
      ],
      { stepId: "email", controlValues: onlyFor("email") },
    ),
    sms(`${count}: ${titles}`, { stepId: "sms", controlValues: onlyFor("sms") }),
    push(`${count} for you`, titles, { stepId: "push", controlValues: onlyFor("push") }),
    {
      stepId: "chat",
      name: "Chat",
      type: "chat",
      controlValues: {
        body:
          `${count}:\n` +
          "{% for item in payload.items %}- {{ item.title }} ({{ item.workflow }}) {{ item.url }}\n{% endfor %}",
        ...onlyFor("chat"),
      },
    },
  ],
};
