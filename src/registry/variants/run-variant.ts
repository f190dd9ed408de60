import * as Effect from "effect/Effect";
import { freezeJson } from "../../base/json/json-value.ts";
import type { CallContext, ToolFunction } from "../../types/call.ts";
import type { FailureCode } from "../../types/failures.ts";
import type { Issue } from "../../types/json.ts";
import { claimsOutcome, failed, isOutcome, type Outcome } from "../../types/outcome.ts";
import type { ToolSpec, Validator } from "../../types/tool.ts";
import { isTool, type LibraryCode } from "../library/library-entry.ts";

/** Validates with the variant's own schemas, in addition to the shared ones. */
export const runVariant = (name: string, code: LibraryCode, spec: ToolSpec): ToolFunction<unknown> => {
  if (!isTool(code)) return code.bind(spec) as ToolFunction<unknown>;
  const run = code.implementation.bind(code.spec) as ToolFunction<unknown>;
  const { input: validateInput, output: validateOutput } = code;
  return (input, context) => {
    // The arguments are frozen and shared, and a validator may add defaults.
    const validated = validateInput(structuredClone(input));
    if (!validated.ok)
      return Effect.succeed(variantFailure(name, context, "invalid_input", validated.issues));
    const answer = run(freezeJson(validated.value), context);
    if (validateOutput === undefined) return answer;
    const check = (value: unknown): unknown => checkVariantOutput(name, context, validateOutput, value);
    return Effect.isEffect(answer) ? Effect.map(answer, check) : answer.then(check);
  };
};

/** Validates the JSON form, which the caller gets. */
const checkVariantOutput = (
  name: string,
  context: CallContext,
  validateOutput: Validator,
  answer: unknown,
): unknown => {
  if (!claimsOutcome(answer)) {
    const verdict = validateAsJson(validateOutput, answer);
    return verdict.ok ? verdict.value : variantFailure(name, context, "invalid_output", verdict.issues);
  }
  if (!isOutcome(answer) || answer._tag !== "value" || answer.flow.kind === "handoff") return answer;
  const verdict = validateAsJson(validateOutput, answer.value);
  if (!verdict.ok) return variantFailure(name, context, "invalid_output", verdict.issues);
  return verdict.value === answer.value ? answer : { ...answer, value: verdict.value };
};

const validateAsJson = (validateOutput: Validator, value: unknown): ReturnType<Validator> => {
  const plain = toPlainJson(value);
  // Stage 6 refuses values that are not JSON.
  if (plain === undefined) return value === undefined ? validateOutput(value) : { ok: true, value };
  const verdict = validateOutput(plain);
  return verdict.ok && verdict.value === plain ? { ok: true, value } : verdict;
};

const toPlainJson = (value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
};

const variantFailure = (
  name: string,
  { tool }: CallContext,
  code: Extract<FailureCode, "invalid_input" | "invalid_output">,
  issues: readonly Issue[],
): Outcome => {
  const what =
    code === "invalid_input" ? "does not accept these arguments" : "does not match its own output schema";
  const why = issues.map((issue) => issue.message).join("; ");
  const ran = code === "invalid_output";
  return failed({ code, tool, ran, issues, message: `The variant "${name}" of "${tool}" ${what}: ${why}.` });
};
