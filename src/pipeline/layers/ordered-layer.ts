import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { AuthorizedCall, CallRequest } from "../words/call.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";

/** Takes an outcome into some state, and answers with it or with another. */
export type Take = (call: AuthorizedCall, outcome: Outcome) => Outcome;

/** Contexts inside of another whose turn comes when that one has answered. The innermost came first. */
interface Waiting {
  readonly request: CallRequest;
  readonly steps: Map<
    object,
    { readonly take: Take; readonly call: AuthorizedCall; readonly outcome: Outcome }
  >;
}

/** The outermost context around the running call, if there is one. */
const Outermost = Context.Reference<Waiting | undefined>("haft/OutermostContext", {
  defaultValue: () => undefined,
});

/**
 * A layer that takes each outcome. Of several around one call the outermost takes first, whatever stands between them,
 * and one that makes the outcome final is the last: a run's context is asked before an agent's.
 */
export const inOrder = (label: string, take: Take): ToolLayer => {
  const wrap = (next: Handler): Handler => {
    const self = {};
    return (call) =>
      Effect.flatMap(Effect.service(Outermost), (outer) => {
        if (outer !== undefined && outer.request === call.request) {
          return Effect.map(next(call), (outcome) => wait(outer, self, take, call, outcome));
        }
        const waiting: Waiting = { request: call.request, steps: new Map() };
        const answered = Effect.provideService(next(call), Outermost, waiting);
        return Effect.map(answered, (outcome) => takeAll(waiting, take, call, outcome));
      });
  };
  return Object.assign(wrap, { label });
};

/** An earlier attempt of the same call is taken into the state; nobody is told its answer any more. */
const wait = (
  { steps }: Waiting,
  self: object,
  take: Take,
  call: AuthorizedCall,
  outcome: Outcome,
): Outcome => {
  const before = steps.get(self);
  steps.delete(self);
  if (before !== undefined) take(before.call, before.outcome);
  steps.set(self, { take, call, outcome });
  return outcome;
};

const takeAll = ({ steps }: Waiting, take: Take, call: AuthorizedCall, outcome: Outcome): Outcome => {
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
