// Parts of the editor that are loaded when they are used. They are one module: separate modules would divide what they
// share with the editor into many small files.
export { BacktestTab } from "./backtest/backtest-tab.tsx";
export { ConflictDialog } from "./editor/conflict-dialog.tsx";
export { SettingsTab } from "./editor/settings-tab.tsx";
export { ExperimentsTab } from "./experiments/experiments-tab.tsx";
export { OwnForm } from "./forms/own-form.tsx";
export { ObjectivesTab } from "./objectives/objectives-tab.tsx";
export { SimulatorTab } from "./simulator/simulator-tab.tsx";
export { Languages } from "./step/languages.tsx";
export { TestDialog } from "./test/test-dialog.tsx";
export { DigestsTab } from "./versions/digests-tab.tsx";
export { VersionsTab } from "./versions/versions-tab.tsx";
