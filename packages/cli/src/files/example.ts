// What `tidings init` begins with.
export const exampleFiles: Readonly<Record<string, string>> = {
  "workflows/hello/workflow.yaml": `# yaml-language-server: $schema=../../.tidings/schema/workflow.json
# The name of this folder is the identifier that events name:
# \`tidings trigger hello --to ada --payload '{"name": "Ada"}'\`.
name: Hello
# tags: [onboarding]
# active: false          # true unless you say otherwise
# preferences:
#   workflow:
#     all: { readOnly: true }   # subscribers cannot switch it off

# What an event has to carry: without it, the event is refused. Templates may use it as {{ payload.name }}.
validatePayload: true
payloadSchema:
  type: object
  required: [name]
  properties:
    name:
      type: string

# One after the other, for each recipient.
steps:
  - stepId: inbox
    type: in_app
    controlValues:
      subject: Hello, {{ payload.name }}
    # The text is in inbox.in_app.txt, beside this file.

  - stepId: wait
    type: delay
    controlValues:
      type: regular
      amount: 1
      unit: hours

  - stepId: mail
    type: email
    controlValues:
      subject: We are glad that you are here
      editorType: html
      # JSON Logic: the email is skipped when the in-app message was read.
      skip:
        "==":
          - var: steps.inbox.read
          - true
    # The text is in mail.email.html.
`,
  "workflows/hello/inbox.in_app.txt": "Hello {{ payload.name }}. This is your inbox.\n",
  "workflows/hello/mail.email.html": "<p>Hello {{ payload.name }},</p>\n<p>Welcome.</p>\n",
};
