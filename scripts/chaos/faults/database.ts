// Faults in which PostgreSQL itself stops.
import type { Begun, Fault } from "./fault.ts";

export const killDatabase: Fault = {
  about: "SIGKILL to all processes of the primary, which is started again after the pause",
  begin({ stage: { database } }) {
    database.killPrimary();
    return { end: () => database.ensureRunning() };
  },
};

export const restartDatabase: Fault = {
  about: "the primary is stopped (fast) and started again after the pause",
  async begin({ stage: { database } }) {
    await database.primary().stop("fast");
    return { end: () => database.ensureRunning() };
  },
};

export const killBackend: Fault = {
  about: "SIGKILL to one backend: PostgreSQL drops all connections and recovers",
  async begin({ stage: { database }, random }): Promise<Begun> {
    const backends = await database.primary().query(`select pid, state, application_name as name from pg_stat_activity
      where application_name like 'tidings%' order by (state = 'active') desc, pid limit 10`);
    if (backends.length === 0) throw new Error("the service has no connection to PostgreSQL");
    const { pid, state, name } = random.pick(backends);
    process.kill(pid, "SIGKILL");
    return { end: () => database.ensureRunning(), detail: () => `backend ${pid} of ${name}, ${state}` };
  },
};

export const failover: Fault = {
  about: "the primary is killed, and the standby promoted after the pause; later the old primary becomes the standby",
  async begin({ stage: { database } }) {
    // A standby that lacks a commit must not be promoted: no operator would, and the load would lose events rightly.
    if (!(await database.isWhole())) throw new Error("the standby does not follow the primary");
    const old = database.primary().name;
    database.killPrimary();
    return {
      end: () => database.promoteStandby(),
      repair: () => database.rebuildStandby(),
      detail: () => `from ${old} to ${database.primary().name}`,
    };
  },
};
