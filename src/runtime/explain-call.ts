import * as Effect from "effect/Effect";
import { RunRecorder } from "../pipeline/recorder.ts";
import type { Decision } from "../policy/decide-case.ts";
import type { PolicyEngine, PolicyRequest } from "../policy/engine.ts";
import type { PolicyExplanation } from "../policy/explanation.ts";
import type { Issue } from "../types/json.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";

export interface ExplainCallInput {
  readonly input: { readonly value: unknown } | undefined;
  readonly isTainted: boolean;
}

export interface ExplainCallTarget {
  readonly engine: PolicyEngine;
  readonly principal: Principal | undefined;
  readonly registration: Registration;
}

export const explainCall = async (
  { engine, principal, registration }: ExplainCallTarget,
  { input, isTainted }: ExplainCallInput,
): Promise<Partial<PolicyExplanation> & { readonly text: string }> => {
  const valid = input === undefined ? undefined : registration.tool.input(input.value);
  const isValid = valid?.ok !== false;
  const request = {
    principal,
    registration,
    ...(isTainted ? { tally: new RunRecorder({ taints: ["untrusted words"] }) } : {}),
    ...(input === undefined
      ? {}
      : { input: valid?.ok === true ? valid.value : input.value, validated: isValid }),
  };
  const note = valid?.ok === false ? schemaMismatchNote(valid.issues) : "";
  const explained = await engine.explain?.(request);
  if (explained !== undefined) return { ...explained, text: explained.text + note };
  const decided =
    input === undefined
      ? engine.visible(principal, registration)
      : await decideNow(engine, { input: input.value, validated: isValid, ...request });
  return { ...decided, text: `${decided.effect}: ${decided.reason}${note}` };
};

const decideNow = async (engine: PolicyEngine, request: PolicyRequest): Promise<Decision> => {
  const decided = engine.decide(request);
  return Effect.isEffect(decided)
    ? Effect.runPromise(decided as Effect.Effect<Decision, unknown>)
    : (decided as Decision | Promise<Decision>);
};

const schemaMismatchNote = (issues: readonly Issue[]): string => {
  const lines = issues.map(
    ({ pointer, message }) => `\n  ${pointer === "" ? "the whole" : pointer} ${message}`,
  );
  return `\nThe arguments do not match its schema, so such a call is refused before policy is evaluated:${lines.join("")}`;
};
