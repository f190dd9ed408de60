import { startEvaluationBudget } from "../evaluate/budget.ts";
import { schemaLimits } from "../limits.ts";
import { type Claim, expand, type Fact, resolveClaim } from "./claim.ts";
import { isEmptyFacts } from "./prove-empty.ts";
import { proveFacts } from "./prove-facts.ts";
import { ProofLimitError, type Prover, proofLimits } from "./prover.ts";
import { type IncompatibilityReason, type ProofPosition, reasonAt } from "./reason.ts";
import { numberShapes } from "./shape.ts";
import { syntheticNodes } from "./synthetic-nodes.ts";

interface OpenProof {
  readonly level: number;
  readonly order: number;
}

/**
 * A proof that recurs at a deeper level holds by induction. One that recurs at the same value proves nothing.
 */
export const startProver = (): Prover => {
  const ids = new WeakMap<object, number>();
  const open = new Map<string, OpenProof>();
  const proven = new Set<string>();
  let nextId = 0;
  let steps = 0;
  let lowest = Number.POSITIVE_INFINITY;

  const step = (): void => {
    if (++steps > proofLimits.steps)
      throw new ProofLimitError(`it takes more than ${proofLimits.steps} steps to compare them`);
  };

  const idOf = ({ node, filled }: Claim): string => {
    if (typeof node === "boolean") return String(node);
    const id = ids.get(node) ?? nextId++;
    ids.set(node, id);
    return filled ? `${id}f` : String(id);
  };

  const keyOf = (facts: readonly Fact[]): string => facts.map(idOf).sort().join();

  /** The answer is cached only if it does not assume an open proof. */
  const ask = <Answer>(
    key: string,
    at: ProofPosition,
    yes: Answer,
    no: Answer,
    work: () => Answer,
    isYes: (answer: Answer) => boolean,
  ): Answer => {
    step();
    if (proven.has(key)) return yes;
    const before = open.get(key);
    if (before !== undefined) {
      if (at.level <= before.level) return no;
      lowest = Math.min(lowest, before.order);
      return yes;
    }
    const order = open.size;
    if (order >= proofLimits.nesting)
      throw new ProofLimitError(`they are nested deeper than ${proofLimits.nesting} levels`);
    open.set(key, { level: at.level, order });
    const outer = lowest;
    lowest = Number.POSITIVE_INFINITY;
    const answer = work();
    open.delete(key);
    const isFree = lowest >= order;
    if (isFree && isYes(answer)) proven.add(key);
    lowest = isFree ? outer : Math.min(outer, lowest);
    return answer;
  };

  const self: Prover = {
    prove: (claims, alias, at) => {
      const goal = resolveClaim(alias);
      const facts = goal.node === true ? false : expand(claims);
      if (facts === false) return [];
      const looped = [reasonAt(at, "$ref", "something that refers to itself", "something else")];
      return ask<readonly IncompatibilityReason[]>(
        `${keyOf(facts)} in ${idOf(goal)}`,
        at,
        [],
        looped,
        () => proveFacts(self, facts, goal, at),
        (reasons) => reasons.length === 0,
      );
    },
    isEmpty: (claims, at) => {
      const facts = expand(claims);
      if (facts === false) return true;
      return ask(
        keyOf(facts),
        at,
        true,
        false,
        () => isEmptyFacts(self, facts, at),
        (isEmpty) => isEmpty,
      );
    },
    holds: ({ side, node }, value) => {
      step();
      startEvaluationBudget(schemaLimits.explanations);
      return side.judge.holds(node, value);
    },
    shapeOf: numberShapes(),
    made: syntheticNodes(),
  };
  return self;
};
