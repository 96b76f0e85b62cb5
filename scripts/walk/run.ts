// `npm run walk [-- names]`: uses the widget and the dashboard as people do for an afternoon, in minutes: with events
// flowing, an outage and its repair, an inbox of 10,000 messages, undo in every editor, two people at once, a frozen
// and a killed server. It prints what it saw, keeps pictures in /screenshots/walk (not committed), and fails where a
// page is untrue. Needs Chromium.
import { walkAccessibility } from "./accessibility.ts";
import { walkActivity } from "./activity.ts";
import { walkDocs } from "./docs.ts";
import { walkEditors } from "./editors.ts";
import { walkFaults } from "./faults.ts";
import { walkInbox } from "./inbox.ts";
import { walkLooks } from "./looks.ts";
import { walkOperate } from "./operate.ts";
import { walkOutage } from "./outage.ts";
import { walkSitting } from "./sitting.ts";
import { walkSupport } from "./support.ts";
import { openWorld, type World } from "./world.ts";

const walks: Record<string, (world: World) => Promise<void>> = {
  inbox: walkInbox,
  activity: walkActivity,
  outage: walkOutage,
  support: walkSupport,
  operate: walkOperate,
  editors: walkEditors,
  sitting: walkSitting,
  looks: walkLooks,
  accessibility: walkAccessibility,
  faults: walkFaults,
};

/** Changes files of the repository, so it is not part of all walks. */
const named: typeof walks = { docs: walkDocs };

const wanted = process.argv.slice(2);
const known = { ...walks, ...named };
const unknown = wanted.find((name) => !(name in known));
if (unknown) {
  console.error(`there is no walk "${unknown}". Walks: ${Object.keys(known).join(", ")}`);
  process.exit(2);
}

const world = await openWorld();
try {
  for (const [name, walk] of Object.entries(wanted.length > 0 ? known : walks)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}`);
    const begun = performance.now();
    // A walk that cannot continue is one wrong check; the others are still of use.
    await walk(world).catch((error: Error) => world.check(`${name} could be walked to its end`, false, error.message));
    world.figure("took", `${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
} finally {
  process.exitCode = (await world.end()) ? 0 : 1;
}
