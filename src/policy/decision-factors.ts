import type { CompiledRule } from "./compile-rule.ts";
import type { Conditions } from "./conditions.ts";
import { type Case, type Decision, judge } from "./judge.ts";
import type { CallerStanding } from "./standing.ts";

/** What of a call can change the decision about it, besides who calls which tool. */
export type Circumstance = "arguments" | "untrusted-words" | "repairs" | "spending";

const circumstances: Readonly<Record<keyof Conditions, Circumstance>> = {
  when: "arguments",
  tainted: "untrusted-words",
  repaired: "repairs",
  spent: "spending",
};

const none: readonly Circumstance[] = Object.freeze([]);

// Tools of one kind share their case, so a matrix of many cells is a handful of these.
const known = new WeakMap<Case, readonly Circumstance[]>();

/**
 * By rules whose conditions can turn the decision, and by the engine's own rule about untrusted words. That repaired
 * arguments of whatever writes need a person holds for every tool alike, and is not counted.
 */
export const dependsOn = ({ given, visible }: CallerStanding): readonly Circumstance[] => {
  if (visible.effect === "deny") return none;
  const before = known.get(given);
  if (before !== undefined) return before;
  const found = findCircumstances(given);
  known.set(given, found);
  return found;
};

/** Rules of one class differ only in who names them, so each is tried with all others of a class met, and with none. */
const findCircumstances = (given: Case): readonly Circumstance[] => {
  const open = given.rules.filter(({ conditions }) => conditions.length > 0);
  const found = new Set<Circumstance>();
  for (let classes = 0; classes < (open.length === 0 ? 1 : 16); classes += 1) {
    const meets = (rule: CompiledRule): boolean =>
      rule.conditions.length === 0 || (classes & classOf(rule)) !== 0;
    const base = outcomeOf(given, judge(given, meets));
    if (base === "allow unless tainted") found.add("untrusted-words");
    for (const rule of open) {
      const turned = judge(given, (each) => meets(each) !== (each === rule));
      if (outcomeOf(given, turned) === base) continue;
      for (const { field } of rule.conditions) found.add(circumstances[field]);
    }
  }
  return Object.freeze([...found]);
};

const classOf = ({ effect, waivesApproval }: CompiledRule): number =>
  effect === "deny" ? 1 : effect === "approve" ? 2 : waivesApproval ? 4 : 8;

const outcomeOf = ({ guardsSink, rules }: Case, { effect, ruleIds }: Decision): string => {
  if (effect !== "allow" || !guardsSink) return effect;
  const isWaived = rules.some(({ id, waivesApproval }) => waivesApproval && ruleIds.includes(id));
  return isWaived ? effect : "allow unless tainted";
};
