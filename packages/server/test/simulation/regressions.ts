// Seeds that found something, each with a word on what it was. They run with every test of the simulation.
export const regressions: [seed: number, found: string][] = [
  [
    36,
    "a worker was killed during its call, and the event canceled before another took over: the attempt stayed open for good",
  ],
  [528, "a process hung, fetched its own task again and settled results of both claims under the fence of one"],
  [
    1092,
    "a settle whose commit got no response was applied again: a message got two tasks and was sent once too often",
  ],
  [
    1021,
    "an event was canceled when its digest had closed, and the leader of the digest after it: the event was sent alone",
  ],
];
