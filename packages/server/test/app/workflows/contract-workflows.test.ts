// Steps as the contract shows them to an editor: a group for each type, a component for each control.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow } from "@tidings/testkit/verbs";

const { client } = await shareService();

type Shown = { component: string; properties?: Record<string, Shown> };

/** `name COMPONENT`, with those inside behind it. */
const wordsOf = (properties: Record<string, Shown>): string[] =>
  Object.entries(properties).flatMap(([name, { component, properties: inside }]) => [
    `${name} ${component}`,
    ...wordsOf(inside ?? {}).map((words) => `${name}.${words}`),
  ]);

const skip = "skip QUERY_EDITOR";
const expected: Record<string, [group: string | undefined, words: string[]]> = {
  in_app: [
    "IN_APP",
    [
      ...["body IN_APP_BODY", "subject IN_APP_PRIMARY_SUBJECT", "avatar IN_APP_AVATAR"],
      ...["primaryAction IN_APP_BUTTON_DROPDOWN", "secondaryAction IN_APP_BUTTON_DROPDOWN", "redirect URL_TEXT_BOX"],
      ...["disableOutputSanitization IN_APP_DISABLE_SANITIZATION_SWITCH", "data DATA"],
      ...["expiresAt TEXT_INLINE_LABEL", "expiresIn DELAY_AMOUNT", "expiresIn.amount DELAY_AMOUNT"],
      ...["expiresIn.unit DELAY_UNIT", skip],
    ],
  ],
  email: [
    "EMAIL",
    [
      ...["subject TEXT_INLINE_LABEL", "body EMAIL_BODY", "editorType EMAIL_EDITOR_SELECT"],
      ...["rendererType EMAIL_RENDERER_SELECT", "layoutId LAYOUT_SELECT"],
      ...["disableOutputSanitization DISABLE_SANITIZATION_SWITCH"],
      ...["preheader", "senderName", "replyTo", "cc", "bcc", "text"].map((name) => `${name} TEXT_INLINE_LABEL`),
      skip,
    ],
  ],
  sms: ["SMS", ["body SMS_BODY", skip]],
  push: ["PUSH", ["subject PUSH_SUBJECT", "body PUSH_BODY", skip]],
  chat: ["CHAT", ["body CHAT_BODY", skip]],
  delay: [
    "DELAY",
    [
      ...["type DELAY_TYPE", "amount DELAY_AMOUNT", "unit DELAY_UNIT", "cron DELAY_CRON"],
      ...["dynamicKey DELAY_DYNAMIC_KEY", "extendToSchedule EXTEND_TO_SCHEDULE", skip],
    ],
  ],
  digest: [
    "DIGEST",
    [
      ...["type DIGEST_TYPE", "amount DIGEST_AMOUNT", "unit DIGEST_UNIT", "lookBackWindow DIGEST_AMOUNT"],
      ...["lookBackWindow.amount DIGEST_AMOUNT", "lookBackWindow.unit DIGEST_UNIT", "digestKey DIGEST_KEY"],
      ...["cron DIGEST_CRON", "extendToSchedule EXTEND_TO_SCHEDULE", skip],
    ],
  ],
  throttle: [
    "THROTTLE",
    [
      ...["type THROTTLE_TYPE", "amount THROTTLE_WINDOW", "unit THROTTLE_UNIT", "dynamicKey THROTTLE_DYNAMIC_KEY"],
      ...["threshold THROTTLE_THRESHOLD", "throttleKey THROTTLE_KEY", skip],
    ],
  ],
  custom: [undefined, []],
};

test("every step type has its group and its components; a custom step has none", async () => {
  const steps = Object.keys(expected).map((type) => ({ name: type, type }) as never);
  const workflow = await createWorkflow(client, "all", steps);
  for (const step of workflow.steps) {
    const ui = step.controls.uiSchema as { group: string; properties: Record<string, Shown> } | undefined;
    assert.deepEqual([ui?.group, wordsOf(ui?.properties ?? {})], expected[step.type], step.type);
    assert.ok(!("stepResolverHash" in step));
    assert.doesNotMatch(JSON.stringify(ui ?? {}), /"placeholder":null/, step.type);
  }
  assert.ok(!("issues" in workflow), "what could be wrong with a workflow itself is refused when it is saved");

  const body = { layoutId: "frame", name: "Frame" };
  const { controls } = (await client("layouts.create", { body })).body;
  const ui = controls.uiSchema as { group: string; properties: Record<string, Shown> };
  assert.deepEqual(
    [ui.group, wordsOf(ui.properties)],
    ["LAYOUT", ["email LAYOUT_EMAIL", "email.body EMAIL_BODY", "email.editorType EMAIL_EDITOR_SELECT"]],
  );
});
