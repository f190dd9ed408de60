import type { RawCall } from "../../types/call.ts";
import type { Failure } from "../../types/failure.ts";

export const checkCallShape = (raw: RawCall): Failure | undefined => {
  if (typeof raw.id !== "string" || raw.id === "" || typeof raw.tool !== "string" || raw.tool === "") {
    return {
      code: "unreadable_call",
      message: "This is not a tool call: it needs an id and a tool name, both non-empty strings.",
    };
  }
  if (raw.providerExecuted !== true) return undefined;
  const message = `The provider runs "${raw.tool}" itself; no other caller may run it.`;
  return { code: "unreadable_call", tool: raw.tool, message };
};
