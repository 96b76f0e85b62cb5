// Creates an audience and a broadcast, checks it, sends it, waits, and prints the results.
import { createTidings } from "@tidings/client";

const [baseUrl = "http://localhost:3000"] = process.argv.slice(2);
const tidings = createTidings({ baseUrl, apiKey: process.env.TIDINGS_API_KEY! });

/** Asks until `isDone` is true of the result. */
async function until<T>(ask: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> {
  for (;;) {
    const result = await ask();
    if (isDone(result)) return result;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

await tidings.audiences.create({
  body: {
    audienceId: "pro-customers",
    name: "Pro customers",
    rule: { "==": [{ var: "subscriber.data.plan" }, "pro"] },
  },
});

const { _id: broadcastId } = await tidings.broadcasts.create({
  body: {
    name: "Spring release",
    audience: { include: ["pro-customers"] },
    content: {
      payload: { version: "4.0" },
      steps: [
        {
          name: "Note",
          type: "in_app",
          controlValues: { subject: "Spring release", body: "Version {{ payload.version }} is here." },
        },
      ],
    },
    // Slow enough for your website.
    pace: { perMinute: 10_000 },
  },
});
const params = { broadcastId };

await tidings.broadcasts.check({ params });
const check = await until(
  () => tidings.broadcasts.retrieveCheck({ params }),
  ({ status }) => status !== "running",
);
for (const { level, sentence } of check.items) console.log(`${level}: ${sentence}`);
if (check.items.some(({ level }) => level === "problem")) process.exit(1);

await tidings.broadcasts.send({ params });
const ended = ["completed", "stopped", "failed"];
const { status, progress } = await until(
  () => tidings.broadcasts.retrieve({ params }),
  (broadcast) => ended.includes(broadcast.status),
);
console.log(`${status}: ${progress.started} of ${progress.people} people`);

const { outcomes } = await tidings.broadcasts.retrieveResults({ params });
console.log(outcomes);
