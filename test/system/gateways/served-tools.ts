import { tool } from "../../../src/exports/index.ts";

const witness = process.env.WITNESS ?? "";
const input = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const;

/** The effect of a call, which resolves once the witness has recorded it. */
const take = async (id: string): Promise<string> => (await fetch(`${witness}/${id}`)).text();

export const note = tool({
  name: "note",
  description: "Takes effect at once",
  input,
  run: ({ id }) => take(id),
});

/** A call that runs until its gateway ends. */
export const hold = tool({
  name: "hold",
  description: "Takes effect and waits",
  input,
  run: ({ id }) => take(`held-${id}`),
});

export const pay = tool({ name: "pay", description: "Pays", input, risk: "high", run: ({ id }) => take(id) });

export const page = tool({
  name: "page",
  description: "Reads an untrusted page",
  input,
  annotations: { readOnly: true, openWorld: true },
  run: () => "Words of a stranger",
});

export const send = tool({
  name: "send",
  description: "Carries words out",
  input,
  annotations: { openWorld: true },
  run: ({ id }) => take(id),
});
