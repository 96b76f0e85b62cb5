import { keyWords } from "./keys/words.ts";

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
const listed = (names: readonly string[], total = names.length): string =>
  total > names.length ? `${names.join(", ")} and ${total - names.length} more` : names.join(", ");

export const words = {
  approval: {
    label: "Broadcasts need approval",
    labelOf: (name: string) => `Broadcasts of ${name} need approval`,
    text: "An owner other than the sender approves each broadcast before it starts.",
    onTitle: (name: string) => `Ask for approval of broadcasts in ${name}?`,
    offTitle: (name: string) => `Send broadcasts in ${name} without approval?`,
    on: "Ask for approval",
    off: "Do not ask",
    done: { on: "Broadcasts need approval now", off: "Broadcasts need no approval now" },
  },
  title: "Environments",
  lead: "Each environment has its own subscribers, workflows and API keys. Publish from one to another.",
  tabs: { keys: "Environments and keys", variables: "Variables", publish: "Publish", history: "History" },
  production: "Production",
  development: "Development",
  environment: "Environment",

  create: {
    action: "New environment",
    title: "New environment",
    text: "A development environment with an API key. It captures email, SMS and chat instead of sending them.",
    name: "Name",
    nameHint: "For example, Staging. The identifier is derived from it.",
    submit: "Create environment",
    done: (name: string) => `${name} is ready`,
  },

  keys: keyWords,

  variables: {
    title: "Variables",
    lead: "Templates and conditions read them as env.NAME. Each environment has its own values, which are never published.",
    create: "New variable",
    none: "No variables yet",
    noneText: "Keep what differs between environments in one place, such as the address of your app or an API token.",
    name: "Name",
    secret: "Secret",
    values: "Values",
    set: "Set",
    unset: "Not set",
    empty: "Empty",
    menu: (key: string) => `Actions for ${key}`,
    edit: "Edit",
    remove: "Delete",
    createTitle: "New variable",
    editTitle: (key: string) => `Edit ${key}`,
    nameHint: "A letter, then letters, digits and underscores, such as BASE_URL.",
    secretField: "Secret: encrypted, never shown again, only for HTTP requests",
    valueIn: (environment: string) => `Value in ${environment}`,
    valuesHint: "An environment whose field is empty has no value.",
    keptHint: "A value is set. Leave the field empty to keep it.",
    newHint: "A secret becomes plain only with a new value.",
    removeValue: (environment: string) => `Remove the value from ${environment}`,
    keepValue: (environment: string) => `Keep the value in ${environment}`,
    removedHint: "The value is removed when you save.",
    add: "Create",
    save: "Save",
    saved: (key: string) => `${key} was saved`,
    confirmTitle: (key: string) => `Save ${key}?`,
    removeTitle: (key: string) => `Delete ${key}?`,
    removeText: "Its values are deleted in all environments.",
    usedTitle: (key: string) => `${key} is in use`,
    usedText: "Remove it from these workflows and layouts first.",
    inEnvironment: (environment: string) => `in ${environment}`,
    removed: (key: string) => `${key} was deleted`,
    close: "Close",
  },

  publish: {
    from: "From",
    to: "To",
    one: "Publishing requires two environments. Create a second one first.",
    same: "No differences",
    sameText: (source: string, target: string) =>
      `${target} has the same workflows, layouts, categories, audiences, brand and attention budget as ${source}.`,
    needsRole: "You can compare environments. Publishing requires the editor role.",
    list: "Differences",
    kinds: { added: "new", modified: "changed", deleted: "only in the target" },
    types: {
      workflow: "Workflow",
      layout: "Layout",
      category: "Category",
      audience: "Audience",
      brand: "Brand",
      attention: "Attention budget",
    },
    choose: (name: string) => `Publish ${name}`,
    all: "Select all",
    none: "Select none",
    chosen: (chosen: number, all: number) => `${chosen} of ${all} selected`,
    kept: (target: string) => `It stays in ${target}. If selected, it is deleted there.`,
    keptWorkflow: (target: string) =>
      `It stays in ${target}. If selected, it is deleted there and its running notifications are canceled.`,
    compare: "Compare every field",
    needs: (name: string) => `It uses the layout ${name}, which the target does not have: select that too.`,
    checks: (name: string) => `Before you publish ${name}`,
    faulty: "Not selected because it has a problem. You can still publish it.",
    leftOut: (number: number) => `${count(number, "resource is", "resources are")} left out because of a problem.`,
    problemOf: (name: string, message: string) => `${name}: ${message}`,
    confirmProblems: (lines: readonly string[], total: number) =>
      `${count(total, "problem", "problems")}: ${lines.join("; ")}${total > lines.length ? ` and ${total - lines.length} more` : ""}.`,
    changed: (name: string) => `Last changed by ${name}`,
    action: (number: number, target: string) => `Publish ${number} to ${target}`,
    confirmTitle: (target: string) => `Publish to ${target}?`,
    confirmText: (names: readonly string[], total: number) =>
      `${count(total, "resource changes", "resources change")}: ${listed(names, total)}. They are published together, and you can revert this.`,
    confirmDeleted: (names: readonly string[]) => `Deleted: ${listed(names)}.`,
    confirm: "Publish",
    done: (target: string, parts: string) => `Published to ${target}: ${parts}.`,
    nothing: "Nothing was changed.",
    created: (number: number) => `${number} created`,
    updated: (number: number) => `${number} updated`,
    deleted: (number: number) => `${number} deleted`,
    open: "View in history",
    failed: (name: string, reason: string) => `${name} was not published: ${reason}.`,
    issues: (name: string, messages: string[]) => `${name} was published with problems: ${messages.join("; ")}.`,
  },

  inFlight: {
    finish: (number: number, step: string, version: number) =>
      `${count(number, "run is waiting", "runs are waiting")} in ${step} of version ${version}; ${
        number === 1 ? "it finishes with the version it started with" : "they finish with the version they started with"
      }.`,
    cancel: (number: number, step: string, version: number) =>
      `${count(number, "run is waiting", "runs are waiting")} in ${step} of version ${version}; ${number === 1 ? "it is canceled" : "they are canceled"}.`,
    capped: "Only the newest runs were counted.",
  },

  history: {
    none: "Nothing has been published yet",
    noneText: (name: string) => `Everything published to ${name} is listed here and can be reverted.`,
    goPublish: "Publish now",
    list: (name: string) => `Publishes to ${name}`,
    published: (source: string, total: number) => `published ${count(total, "resource", "resources")} from ${source}`,
    restored: (total: number) => `reverted a publish of ${count(total, "resource", "resources")}`,
    names: (names: readonly string[], total: number) => listed(names, total),
    takenBack: "Reverted",
    actions: { created: "created", updated: "changed", deleted: "deleted" },
    versions: (before: number | null, after: number | null) =>
      before === null
        ? `version ${after}`
        : after === null
          ? `was version ${before}`
          : `version ${before} → version ${after}`,
    noSentences: "Nothing that subscribers will notice.",
    restore: "Revert",
    restoreTitle: "Revert this publish?",
    restoreText: "The following happens in one step. Runs in progress finish with the version they started with.",
    outcomes: {
      restored: "gets its previous content back",
      recreated: "is created again",
      deleted: "is deleted: this publish created it",
      turned_off: "is turned off",
      kept: "is unchanged",
    },
    changedSince: "Changed since",
    changedBy: (name: string) => `by ${name}`,
    conflicts: (number: number) =>
      `${count(number, "resource was", "resources were")} changed after this publish. Those changes would be lost.`,
    overwrite: "Revert these changes too",
    confirm: "Revert",
    done: "Reverted",
  },
} as const;
