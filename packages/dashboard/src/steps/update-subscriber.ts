import { defineStep, type FieldSpec } from "./kit.ts";

const labels = {
  firstName: "First name",
  lastName: "Last name",
  email: "Email",
  phone: "Phone",
  avatar: "Avatar",
  locale: "Language",
  timezone: "Time zone",
};

export default defineStep({
  icon: "user",
  hasOwnForm: true,
  fields: [
    ...Object.entries(labels).map(([path, label]): FieldSpec => ({ path, label, kind: "line" })),
    { path: "data", label: "Data", kind: "part" },
  ],
  summary: (values) => {
    const names = Object.entries({ ...labels, data: "Data" }).flatMap(([path, label]) => (values[path] ? [label] : []));
    return names.length === 0 ? "no fields yet" : names.join(", ");
  },
});
