// What has to be undone when a run ends, however it ends: processes, mounts, cgroups and folders, the newest first.

type Undo = () => void;

const undos: Undo[] = [];

/** `undo` does not wait, so that it also works while this process exits. Returns a function that undoes it now. */
export function atExit(undo: Undo): () => void {
  undos.push(undo);
  return () => {
    const at = undos.indexOf(undo);
    if (at < 0) return;
    undos.splice(at, 1);
    undo();
  };
}

function undoAll(): void {
  for (let undo = undos.pop(); undo; undo = undos.pop()) {
    try {
      undo();
    } catch (error) {
      console.error(`could not clean up: ${(error as Error).message}`);
    }
  }
}

process.once("exit", undoAll);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    console.error(`${signal}: cleaning up …`);
    process.exit(130);
  });
