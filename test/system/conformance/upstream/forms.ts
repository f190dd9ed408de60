const titled = (word: string) => [
  { const: "value1", title: `First ${word}` },
  { const: "value2", title: `Second ${word}` },
  { const: "value3", title: `Third ${word}` },
];
const options = ["option1", "option2", "option3"];

export const defaultsForm = {
  message: "Please review and update the form fields with defaults",
  requestedSchema: {
    type: "object" as const,
    properties: {
      name: { type: "string" as const, default: "John Doe" },
      age: { type: "integer" as const, default: 30 },
      score: { type: "number" as const, default: 95.5 },
      status: { type: "string" as const, enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean" as const, default: true },
    },
    required: [],
  },
};

export const enumsForm = {
  message: "Please select options from the enum fields",
  requestedSchema: {
    type: "object" as const,
    properties: {
      untitledSingle: { type: "string" as const, enum: options },
      titledSingle: { type: "string" as const, oneOf: titled("Option") },
      legacyEnum: {
        type: "string" as const,
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array" as const, items: { type: "string" as const, enum: options } },
      titledMulti: { type: "array" as const, items: { anyOf: titled("Choice") } },
    },
    required: [],
  },
};
