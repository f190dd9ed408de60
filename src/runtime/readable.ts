import { isCutOff } from "../call/call.ts";
import { copyJson } from "../json/copy-json.ts";
import type { RawCall } from "../words/call.ts";

/**
 * Whatever comes in gets a reply, so it needs the shape of a call at least. A value is copied once, so that the
 * ledger and the tool see the same one.
 */
export const readable = (raw: RawCall): RawCall => {
  try {
    const { id, tool, input, providerExecuted, finish, nulls } = raw;
    const copy = typeof input === "object" ? copyJson(input) : undefined;
    const call = {
      id: typeof id === "string" ? id : "",
      tool: typeof tool === "string" ? tool : "",
      input: copy?.ok ? copy.value : input,
    };
    if (providerExecuted === undefined && finish === undefined && nulls === undefined) return call;
    return {
      ...call,
      providerExecuted: providerExecuted === true,
      finish: isCutOff(finish) ? "incomplete" : "complete",
      ...(Array.isArray(nulls) ? { nulls } : {}),
    };
  } catch {
    return { id: "", tool: "", input: undefined };
  }
};
