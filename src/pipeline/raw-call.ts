import { copyJson } from "../base/json/copy-json.ts";
import type { JsonProblem } from "../base/json/json-problem.ts";
import { freezeJson, withoutMinusZero } from "../base/json/json-value.ts";
import type { JsonLimits } from "../base/json/limits.ts";
import type { RawCall } from "../types/call.ts";
import { isCutOff } from "./1-hydrate/argument-messages.ts";

/** Stage 1 reports the problem. */
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
 * Argument text stays exact. A value is copied within the JSON limits, and the ledger, policy and the tool
 * use that copy.
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

const maxPartPointerLength = 200;

const unreadableCall: RawCall = Object.freeze({ id: "", tool: "", input: undefined });

const copyInput = (input: unknown, limits: JsonLimits): unknown => {
  if (input === undefined || input === null) return input;
  const copy = copyJson(input, limits);
  return copy.ok ? freezeJson(withoutMinusZero(copy.value)) : new UnreadableArguments(copy.problem);
};
