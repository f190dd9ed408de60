import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/freeze-json.ts";
import type { JsonProblem } from "../base/json/json-problem.ts";
import type { JsonLimits } from "../base/json/limits.ts";
import { withoutMinusZero } from "../base/json/without-minus-zero.ts";
import type { RawCall } from "../types/call.ts";
import { isCutOff } from "./1-hydrate/is-cut-off.ts";

/** Stands for arguments that are neither a text nor JSON. Stage 1 says what was wrong with them. */
export class UnreadableArguments {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    this.problem = problem;
    Object.freeze(this);
  }

  toJSON(): string {
    return "[not JSON]";
  }
}

/**
 * A call as it came, read once and frozen: whatever comes in gets a reply, so it has the shape of a call at least.
 * A text stays exactly as it is. A value of this process is copied here, by the runtime's own limits, and the ledger,
 * policy and the tool see that copy and nothing else.
 */
export const readRawCall = (given: RawCall, limits: JsonLimits): RawCall => {
  try {
    const { id, tool, input, index, part, providerExecuted, finish, nulls } = given;
    const call = {
      id: typeof id === "string" ? id : "",
      tool: typeof tool === "string" ? tool : "",
      input: typeof input === "string" ? input : copyInput(input, limits),
    };
    if (
      providerExecuted === undefined &&
      finish === undefined &&
      nulls === undefined &&
      index === undefined &&
      part === undefined
    ) {
      return Object.freeze(call);
    }
    return Object.freeze({
      ...call,
      ...(typeof index === "number" ? { index } : {}),
      ...(typeof part === "string" && part.length <= maxPartPointerLength ? { part } : {}),
      providerExecuted: providerExecuted === true,
      finish: isCutOff(finish) ? "incomplete" : "complete",
      ...(Array.isArray(nulls) ? { nulls: Object.freeze(nulls.map(String)) } : {}),
    });
  } catch {
    return unreadableCall;
  }
};

/** A pointer into a reply is short; it goes into the ledger's row. */
const maxPartPointerLength = 200;

const unreadableCall: RawCall = Object.freeze({ id: "", tool: "", input: undefined });

const copyInput = (input: unknown, limits: JsonLimits): unknown => {
  if (input === undefined || input === null) return input;
  const copy = copyJson(input, limits);
  return copy.ok ? freezeJson(withoutMinusZero(copy.value)) : new UnreadableArguments(copy.problem);
};
