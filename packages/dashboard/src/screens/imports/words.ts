// The words of imports and exports.
const number = (count: number) => count.toLocaleString();
const lines = (count: number) => (count === 1 ? "1 line" : `${number(count)} lines`);

export const words = {
  lines,
  number,
  kinds: { subscribers: "Subscribers", subscriptions: "Subscriptions" },
  list: {
    title: "Imports",
    importButton: "Import a CSV file",
    exportButton: "Export",
    exportSubscribers: "All subscribers",
    exportSubscriptions: "All subscriptions of topics",
    file: "File",
    result: "Result",
    when: "When",
    none: "No imports in the last 30 days",
    noneText:
      "Bring subscribers, or who belongs to which topic, from a CSV file. A dry run shows first what would happen.",
    noName: "Without a name",
  },
  statuses: { waiting: "Waiting", running: "Running", completed: "Done", failed: "Stopped" },
  dryRun: "Dry run",
  create: {
    title: "Import a CSV file",
    lead: "Choose a file, see how it is read, try it without writing, then import.",
    kind: "What is in the file",
    kindHints: {
      subscribers:
        "People with their addresses. Who exists already gets the new values; an empty cell changes nothing.",
      subscriptions: "Who belongs to which topic. Topics that do not exist are created; the people have to exist.",
    },
    file: "File",
    choose: "Choose a CSV file",
    drop: "or drop it here. Up to 10 MB.",
    another: "Choose another file",
    columnsOf: {
      subscribers: "Columns: subscriberId, email, phone, firstName, lastName, locale, timezone, avatar, data.<name>",
      subscriptions: "Columns: topicKey, subscriberId, identifier, name",
    },
    tooLarge: (size: string) =>
      `The file has ${size}, and at most 10 MB are accepted. Divide it, and import the parts.`,
    unreadable: "The file could not be read. Choose it again.",
    understood: "How the file is read",
    separator: "Separator",
    separators: { ",": "comma", ";": "semicolon", "\t": "tab" },
    size: "Size",
    firstLines: "First lines",
    ignored: "not imported",
    refused: "The file cannot be imported as it is:",
    check: "Dry run",
    checkText: "Reads every line and counts what would happen. Nothing is written.",
    checking: "The dry run reads the file",
    report: "What the import would do",
    go: (count: number) => `Import ${lines(count)}`,
    goText: (faulty: number) =>
      faulty === 0 ? "Every line can be imported." : `${lines(faulty)} cannot be imported and would be left out.`,
    nothing: "There is nothing to import: every line has a fault, or changes nothing.",
    confirmTitle: (count: number) => `Import ${lines(count)}?`,
  },
  report: {
    title: (name: string | undefined) => (name ? `Import of ${name}` : "Import"),
    progress: (done: number, total: number) => `${number(done)} of ${lines(total)}`,
    progressLabel: "Progress of the import",
    wouldCreated: "would be created",
    created: "created",
    wouldUpdated: "would be changed",
    updated: "changed",
    unchanged: "unchanged",
    faulty: "faulty",
    faultyTitle: "Faulty lines",
    faultyText: "These lines are left out. Correct the downloaded file and import it again: it has the same columns.",
    capped: "The first 1,000 are shown.",
    download: "Download faulty lines",
    line: "Line",
    problem: "What is wrong",
    content: "Content",
    whole: "the line",
    failed:
      "The import has stopped: a part of it failed every time it was tried. It is among the failed tasks of the start page.",
    another: "Import another file",
  },
} as const;
