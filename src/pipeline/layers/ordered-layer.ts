import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { AuthorizedCall, CallRequest } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";

export type OutcomeStep = (call: AuthorizedCall, outcome: Outcome) => Outcome;

/** The innermost is first. */
interface DeferredSteps {
  readonly request: CallRequest;
  readonly steps: Map<
    object,
    { readonly take: OutcomeStep; readonly call: AuthorizedCall; readonly outcome: Outcome }
  >;
}

const OutermostSteps = Context.Reference<DeferredSteps | undefined>("haft/OutermostContext", {
  defaultValue: () => undefined,
});

/**
 * Steps run from the outermost to the innermost after the call. A step that makes the outcome final stops the
 * others, so that a run's context decides before an agent's.
 */
export const createOrderedLayer = (label: string, take: OutcomeStep): ToolLayer => {
  const wrap = (next: Handler): Handler => {
    const self = {};
    return (call) =>
      Effect.flatMap(Effect.service(OutermostSteps), (outermost) => {
        if (outermost !== undefined && outermost.request === call.request) {
          return Effect.map(next(call), (outcome) => deferStep(outermost, self, take, call, outcome));
        }
        const deferred: DeferredSteps = { request: call.request, steps: new Map() };
        const answered = Effect.provideService(next(call), OutermostSteps, deferred);
        return Effect.map(answered, (outcome) => applySteps(deferred, take, call, outcome));
      });
  };
  return Object.assign(wrap, { label });
};

const deferStep = (
  { steps }: DeferredSteps,
  self: object,
  take: OutcomeStep,
  call: AuthorizedCall,
  outcome: Outcome,
): Outcome => {
  const before = steps.get(self);
  steps.delete(self);
  if (before !== undefined) take(before.call, before.outcome);
  steps.set(self, { take, call, outcome });
  return outcome;
};

const applySteps = (
  { steps }: DeferredSteps,
  take: OutcomeStep,
  call: AuthorizedCall,
  outcome: Outcome,
): Outcome => {
  const inward = [{ take, call }, ...[...steps.values()].reverse()];
  let answer = outcome;
  for (const each of inward) {
    const before = answer;
    answer = each.take(each.call, before);
    if (isFinal(answer) && !isFinal(before)) break;
  }
  return answer;
};

const isFinal = (outcome: Outcome): boolean => outcome._tag === "value" && outcome.flow.kind === "final";
