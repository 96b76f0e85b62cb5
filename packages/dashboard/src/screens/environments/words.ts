const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
const listed = (names: readonly string[], total = names.length): string =>
  total > names.length ? `${names.join(", ")} and ${total - names.length} more` : names.join(", ");

export const words = {
  title: "Environments",
  lead: "Separate worlds with their own subscribers, workflows and keys, and what is published from one to another.",
  tabs: { keys: "Environments and keys", publish: "Publish", history: "History" },
  production: "Production",
  development: "Development",
  environment: "Environment",

  create: {
    action: "New environment",
    title: "New environment",
    text: "A development environment with an API key. It captures email, SMS and chat instead of sending them.",
    name: "Name",
    nameHint: "Such as Staging. Its identifier is made of it.",
    submit: "Create environment",
    done: (name: string) => `${name} is ready`,
  },

  keys: {
    title: (name: string) => `API keys of ${name}`,
    key: "Key",
    masked: (end: string) => `tdg_ … ${end}`,
    made: "Made",
    lastUse: "Last use",
    never: "Never used",
    chosen: "You are looking at it",
    lookAt: "Look at it",
    needsOwner: "API keys are shown to owners.",
    makeSecond: "Make a second key",
    rotation: "To rotate: make a second key, put it to use, and revoke the old one when its last use stays behind.",
    made2: "Two keys work. Revoke the old one when the new one is in use.",
    revoke: "Revoke",
    revokeOf: (end: string) => `Revoke the key that ends in ${end}`,
    revokeTitle: "Revoke this key?",
    revokeText: (used: string) => `Requests with it are refused at once. ${used}`,
    usedRecently: "It was used within the last hour: a program still needs it.",
    notUsed: "It was not used within the last hour.",
    revoked: "The key is revoked",
    newTitle: "The new key",
    newText: "Copy it now: this screen does not show it again. The old key works until you revoke it.",
    newLabel: "API key",
    done: "Done",
  },

  publish: {
    from: "From",
    to: "To",
    one: "Publishing needs two environments. Make a second one first.",
    same: "Nothing differs",
    sameText: (source: string, target: string) => `${target} has the same workflows and layouts as ${source}.`,
    needsRole: "You can compare environments. Publishing needs the role editor.",
    list: "What differs",
    kinds: { added: "new", modified: "changed", deleted: "only in the target" },
    types: { workflow: "Workflow", layout: "Layout" },
    choose: (name: string) => `Publish ${name}`,
    all: "Choose all",
    none: "Choose none",
    chosen: (chosen: number, all: number) => `${chosen} of ${all} chosen`,
    kept: (target: string) =>
      `It stays in ${target}. Chosen, it is deleted there, and its runs under way are canceled.`,
    compare: "Compare every field",
    needs: (name: string) => `It uses the layout ${name}, which the target does not have: choose that too.`,
    changed: (name: string) => `Last changed by ${name}`,
    action: (number: number, target: string) => `Publish ${number} to ${target}`,
    confirmTitle: (target: string) => `Publish to ${target}?`,
    confirmText: (names: readonly string[], total: number) =>
      `${count(total, "resource changes", "resources change")}: ${listed(names, total)}. All of it in one step; it can be taken back.`,
    confirmDeleted: (names: readonly string[]) => `Deleted: ${listed(names)}.`,
    confirm: "Publish",
    done: (target: string, parts: string) => `Published to ${target}: ${parts}.`,
    nothing: "Nothing was changed.",
    created: (number: number) => `${number} created`,
    updated: (number: number) => `${number} updated`,
    deleted: (number: number) => `${number} deleted`,
    open: "See it in the history",
    failed: (name: string, reason: string) => `${name} was not published: ${reason}.`,
    issues: (name: string, messages: string[]) => `${name} was published with errors: ${messages.join("; ")}.`,
  },

  inFlight: {
    finish: (number: number, step: string, version: number) =>
      `${count(number, "run waits", "runs wait")} in ${step} of version ${version}; ${
        number === 1 ? "it finishes with the version it started with" : "they finish with the version they started with"
      }.`,
    cancel: (number: number, step: string, version: number) =>
      `${count(number, "run waits", "runs wait")} in ${step} of version ${version}; ${number === 1 ? "it is canceled" : "they are canceled"}.`,
    capped: "Only the newest runs were counted.",
  },

  history: {
    none: "Nothing was published yet",
    noneText: (name: string) => `What is published to ${name} is listed here, and can be taken back.`,
    goPublish: "Publish now",
    list: (name: string) => `Publishes to ${name}`,
    published: (source: string, total: number) => `published ${count(total, "resource", "resources")} from ${source}`,
    restored: (total: number) => `took back a publish of ${count(total, "resource", "resources")}`,
    names: (names: readonly string[], total: number) => listed(names, total),
    takenBack: "Taken back",
    actions: { created: "created", updated: "changed", deleted: "deleted" },
    versions: (before: number | null, after: number | null) =>
      before === null
        ? `version ${after}`
        : after === null
          ? `was version ${before}`
          : `version ${before} → version ${after}`,
    noSentences: "Nothing that people notice.",
    restore: "Take it back",
    restoreTitle: "Take this publish back?",
    restoreText:
      "Every resource gets the content that it had before, in one step. Runs under way finish as they started.",
    outcomes: {
      restored: "gets the content from before",
      recreated: "is made again",
      deleted: "is deleted: this publish created it",
      turned_off: "is turned off",
      kept: "stays",
    },
    changedSince: "Changed since",
    changedBy: (name: string) => `by ${name}`,
    conflicts: (number: number) =>
      `${count(number, "resource was", "resources were")} changed after this publish. Those changes would be lost.`,
    overwrite: "Take these changes back as well",
    confirm: "Take it back",
    done: "The publish is taken back",
  },
} as const;
