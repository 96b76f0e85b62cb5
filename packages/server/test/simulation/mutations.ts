// Errors that are planted into the service, or into the model of its store, each of which the checks of the simulation
// have to find: a check that finds nothing here would prove nothing elsewhere.

/**
 * `from`, which the file has once, becomes `to`. The file is below packages/server. `firstSeed`: where to look for a
 * failure that few seeds find; 1 unless given.
 */
export type Mutation = { name: string; file: string; from: string; to: string; firstSeed?: number };

export const mutations: Mutation[] = [
  {
    name: "claims without a fence",
    file: "test/simulation/world/queue.ts",
    from: `row.state === "active" && row.attempt === attempt ? row : []`,
    to: "row.state ? { ...row, attempt } : []",
  },
  {
    name: "a call before its attempt is committed",
    file: "src/pipeline/deliver/calls.ts",
    from: "prepared = await transact(ctx, (tx) => stage.prepare(tx, tasks, admission));",
    to: `prepared = await transact(ctx, async (tx) => {
        for (const one of await stage.prepare(tx, tasks, admission)) void makeCall(one);
        return [];
      });`,
  },
  {
    name: "an attempt that is not stored",
    file: "src/pipeline/deliver/prepare.ts",
    from: "await writeAttempts(batch, sends);",
    to: "",
  },
  {
    name: "lost attempts of canceled messages that are left open",
    file: "src/pipeline/deliver/prepare.ts",
    from: "await endLostAttempts(batch.db, keys, facts.now);",
    to: "",
  },
  {
    name: "a result that does not finish its part of the task",
    file: "src/pipeline/deliver/settle.ts",
    from: `  await finishMessages(
    batch,
    group.map(({ task, message }) => ({ task, messageId: message.id })),
  );
`,
    to: "",
  },
  {
    name: "a run that is not woken when its message is sent",
    file: "src/pipeline/deliver/settle.ts",
    from: "group.filter(({ message }) => ended.has(message.job_id)),",
    to: "[],",
  },
  {
    name: "a repeat without dedupe of the events",
    file: "src/pipeline/trigger/accept.ts",
    from: "return evaluated.filter((one) => !hasGivenId(one) || won.has(one.accepted.event.id));",
    to: "return evaluated;",
  },
  {
    name: "a trigger task that is finished before its runs are committed",
    file: "src/pipeline/trigger/trigger.ts",
    from: `await batch.queue.finish(batch.db, "trigger", tasks);`,
    to: `await batch.queue.finish(ctx.db, "trigger", tasks);`,
  },
  {
    name: "a wake task that is finished before its runs are committed",
    file: "src/pipeline/run/wake.ts",
    from: `await tx.queue.finish(tx.db, "wake", tasks);`,
    to: `await ctx.queue.finish(ctx.db, "wake", tasks);`,
  },
  {
    name: "a digest that does not close its window",
    file: "src/pipeline/run/digests.ts",
    from: "await closeWindows(batch.db, [...closing, ...abandoned].map(toJobKey));",
    to: "void closeWindows, toJobKey, abandoned;",
  },
  {
    name: "digest claims that are not atomic",
    file: "test/simulation/store/events/digests.batch.ts",
    from: `await tx.insert("digest_windows", windowKey(row), row);`,
    to: `tx.locked.add(\`digest_windows \${windowKey(row)}\`);
      if (!tx.get("digest_windows", windowKey(row))) tx.put("digest_windows", windowKey(row), row);`,
  },
  {
    name: "runs that two workers advance at once",
    file: "test/simulation/store/events/notifications.batch.ts",
    from: "return tx.lockWhere<",
    to: "return tx.where<",
    firstSeed: 130,
  },
  {
    name: "a canceled event that still starts",
    file: "src/pipeline/run/cancel-event.ts",
    from: "await closeEvent(batch, environmentId, event);",
    to: "void closeEvent;",
  },
  {
    name: "a canceled digest that nobody takes over",
    file: "src/pipeline/run/cancel.ts",
    from: "await handOverDigests(batch, environmentId, orphaned);",
    to: "void handOverDigests, orphaned;",
  },
  {
    name: "a throttle that lets one too many through",
    file: "src/pipeline/run/claims.ts",
    from: "const isGranted = before + index < granted;",
    to: "const isGranted = before + index <= granted;",
  },
  {
    name: "parts of two claims under one fence",
    file: "test/simulation/world/queue.ts",
    from: `Map.groupBy(parts, ({ task: { id, attempt } }) => \`\${id} \${attempt}\`)`,
    to: "Map.groupBy(parts, ({ task: { id } }) => id)",
    firstSeed: 500,
  },
  {
    name: "a part that is finished twice",
    file: "test/simulation/world/queue.ts",
    from: "if (own.length < given.length && own.some(({ part }) => !stillThere.includes(part))) {",
    to: "if (false) {",
    firstSeed: 1050,
  },
  {
    name: "a retry that is not enqueued",
    file: "src/pipeline/deliver/effects.ts",
    from: `    deliver: deliverTask(finished, integration, until),
`,
    to: "",
  },
  {
    name: "a wait that looks back without a lock",
    file: "src/pipeline/run/arrivals.ts",
    from: "await lockSignals(db, lookingBack);",
    to: "void lockSignals;",
    firstSeed: 770,
  },
  {
    name: "a wait that ends by its timeout whatever came",
    file: "src/pipeline/run/arrivals.ts",
    from: "arrived_at && arrived_by ?",
    to: "arrived_at && arrived_by && !ending.find((one) => one.job_id === job_id)!.is_due ?",
  },
  {
    name: "a signal that does not find the waits of others",
    file: "test/simulation/store/signals/signals.ts",
    from: "const firstOf = (wait: WaitRow) => signals.find((signal) => isMet(wait, signal));",
    to: "const firstOf = (wait: WaitRow) => signals.slice(0, 1).find((signal) => isMet(wait, signal));",
  },
  {
    name: "waits of canceled runs that are left behind",
    file: "src/pipeline/run/cancel.ts",
    from: "await deleteWaits(db, environmentId, [...canceled]);",
    to: "void deleteWaits;",
  },
  {
    name: "an in-app step that fails now and then",
    file: "src/pipeline/steps/in-app.ts",
    from: "  if (!isActive) {",
    to: "  if (!isActive || Number(now) % 5 === 0) {",
  },
  {
    name: "a delay that ends after a second",
    file: "src/pipeline/steps/delay.ts",
    from: `return { kind: "waiting", until: wait.until, details`,
    to: `return { kind: "waiting", until: new Date(Number(now) + 1_000), details`,
  },
  {
    name: "a wait that times out after a second",
    file: "src/pipeline/steps/wait.ts",
    from: `return { kind: "waiting", until: wait.until, details`,
    to: `return { kind: "waiting", until: new Date(Number(now) + 1_000), details`,
  },
  {
    name: "a wait that fails instead of waiting",
    file: "src/pipeline/steps/wait.ts",
    from: `  if ("fault" in awaited) return`,
    to: `  if (Number(now) % 3 === 0) return { kind: "failed", details: [] };
  if ("fault" in awaited) return`,
  },
];
