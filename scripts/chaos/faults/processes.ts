// Faults of one process of the service, or of one of its threads.

import { freezerProblem, freezeThread, listThreads, type Thread } from "../stage/freezer.ts";
import { type Fault, type FaultContext, memberOf, requireNo } from "./fault.ts";

export const killProcess: Fault = {
  about: "SIGKILL to one process of the service, which is started again after the pause",
  begin(context) {
    const { process } = memberOf(context);
    const pid = process.pid();
    if (pid === null) throw new Error(`${process.name} does not run`);
    process.kill();
    return { end: () => process.resume(), detail: () => `process ${pid}` };
  },
};

export const stopProcess: Fault = {
  about: "SIGSTOP to one process of the service, then SIGCONT: it continues with what it believes to hold",
  begin(context) {
    const { process } = memberOf(context);
    process.signal("SIGSTOP");
    return { end: () => process.signal("SIGCONT") };
  },
};

export const stopThread: Fault = {
  about: "one thread of a process is frozen: the main thread, a worker thread or one of libuv",
  async begin(context) {
    requireNo(freezerProblem());
    const { process } = memberOf(context);
    const pid = process.pid();
    if (pid === null) throw new Error(`${process.name} does not run`);
    const thread = chooseThread(listThreads(pid), pid, context);
    const thaw = await freezeThread(thread);
    return { end: thaw, detail: () => `thread ${thread.id} (${thread.id === pid ? "main" : thread.name}) of ${pid}` };
  },
};

/** Half of them the main thread or a worker; the others do files, names and hashes, or collect garbage. */
function chooseThread(threads: Thread[], pid: number, { random }: FaultContext): Thread {
  const ofEngine = threads.filter(({ id, name }) => id === pid || /engine|worker-thread|WorkerThread/i.test(name));
  const ofLibuv = threads.filter(({ name }) => /libuv/i.test(name));
  const group = random.pick([ofEngine, ofEngine, ofLibuv, threads].filter(({ length }) => length > 0));
  return random.pick(group);
}
