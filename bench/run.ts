// `npm run bench`: starts what it needs, measures, prints a table. Results worth keeping go to bench/results.md.
import { arch, cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import { benchInApp } from "./in-app.ts";
import { progress, startBenchService } from "./support.ts";

const { values } = parseArgs({
  options: { events: { type: "string", default: "60000" }, rounds: { type: "string", default: "3" } },
});

progress("starting PostgreSQL and the service …");
const service = await startBenchService();
try {
  const result = await benchInApp(service, { events: Number(values.events), rounds: Number(values.rounds) });
  const number = (value: number) => Math.round(value).toLocaleString("en");
  const date = new Date().toISOString().slice(0, 10);
  console.log(`\n${date}, ${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}\n`);
  console.log("| benchmark | per second | raw limit | ratio |");
  console.log("|---|--:|--:|--:|");
  console.log(
    `| in-app notifications, HTTP bulk trigger → feed (${number(result.events)} events, median of ${values.rounds}) ` +
      `| ${number(result.service)} | ${number(result.raw)} | ${result.ratio.toFixed(2)} |`,
  );
  console.log(`| … of which accepted (201) | ${number(result.accepted)} | | |`);
} finally {
  await service.stop();
}
