import { defineStep, type Values } from "./kit.ts";

const armsOf = ({ arms }: Values): { id?: string; name?: string }[] => (Array.isArray(arms) ? arms : []);

export default defineStep({
  icon: "branch",
  fields: [
    {
      path: "arms",
      label: "Arms",
      hint: "The first arm whose condition is true is taken, else the arm else",
      kind: "json",
    },
  ],
  startValues: { arms: [{ id: "first", condition: {} }] },
  summary: (values) => {
    const names = armsOf(values).map(({ id, name }) => name || id || "arm");
    return names.length === 0 ? "no arms yet" : names.join(", ");
  },
});
