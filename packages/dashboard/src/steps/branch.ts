import { defineStep, type Values } from "./kit.ts";

const armsOf = ({ arms }: Values): { id?: string; name?: string }[] => (Array.isArray(arms) ? arms : []);

export default defineStep({
  icon: "branch",
  hasOwnForm: true,
  fields: [{ path: "arms", label: "Arms", kind: "part" }],
  startValues: { arms: [{ id: "arm-1", name: "Arm 1", condition: {} }] },
  summary: (values) => {
    const names = armsOf(values).map(({ id, name }) => name || id || "arm");
    return names.length === 0 ? "no arms yet" : names.join(", ");
  },
});
