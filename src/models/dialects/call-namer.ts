import type { RawCall } from "../../types/call.ts";
import type { Message } from "../../types/message.ts";
import { generateIds } from "./generate-ids.ts";

export const callNamer = (wire: string, messages: readonly Message[]) => {
  const next = generateIds(wire, messages);
  const given = new Map<string, string>();
  return {
    /** Must be called before the calls of the same event are named. */
    wrote: (id: unknown): void => {
      if (typeof id === "string" && id !== "") given.set(id, id);
    },
    named: (call: RawCall): RawCall => {
      const id = given.get(call.id) ?? next();
      given.set(call.id, id);
      return { ...call, id };
    },
  };
};
