import type { Principal } from "../words/principal.ts";
import { isReadOnly, noSchemaModes, risks } from "../words/spec.ts";
import type { AnyTool, Registration } from "../words/tool.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { type Case, type Decision, decision } from "./judge.ts";
import { type CompiledRight, compileRight, refuseBy } from "./right.ts";
import { type CallerStanding, toStanding } from "./standing.ts";
import { lookUp } from "./tables.ts";
import { isSink } from "./taint.ts";
import { watch } from "./watch.ts";

/**
 * Tools with the same traits that the same rules cover share one standing; a thousand tools form a handful of groups.
 * A group is found by its traits, then by each rule in turn.
 */
interface ToolGroup {
  readonly next: Map<number | CompiledRule, ToolGroup>;
  standing: CallerStanding | undefined;
}

/** One caller by itself, without those it acts for. */
export interface PolicyCaller {
  readonly principal: Principal;
  /** Why nothing at all is allowed to it. */
  readonly broken: string | undefined;
  /** Its own right and those the tables keep for it; a call must be within every one. */
  readonly rights: readonly CompiledRight[];
  /** The rules that concern it. */
  readonly rules: readonly CompiledRule[];
  readonly groups: ToolGroup;
  /** False once the principal no longer says what this was made from. */
  readonly isCurrent: () => boolean;
}

export const toLink = (policy: CompiledPolicy, principal: Principal): PolicyCaller => {
  const isCurrent = watch(principal);
  const rights = readRights(policy, principal);
  const rules = typeof rights === "string" ? [] : policy.rules.filter((rule) => rule.concerns(principal));
  return typeof rights === "string"
    ? { principal, broken: rights, rights: [], rules, groups: newGroup(), isCurrent }
    : { principal, broken: undefined, rights, rules, groups: newGroup(), isCurrent };
};

const readRights = (policy: CompiledPolicy, principal: Principal): readonly CompiledRight[] | string => {
  const unreadable = (why: string) => `the principal cannot be read: ${why}`;
  if (typeof principal.agent !== "string" || principal.agent === "") return unreadable("it names no agent");
  const rights: CompiledRight[] = [];
  try {
    rights.push(compileRight(`"${principal.agent}"`, principal, policy.toolkits));
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause));
  }
  for (const table of policy.tables) {
    const right = lookUp(table, principal);
    if (typeof right === "string") return right;
    rights.push(right);
  }
  return rights;
};

export const isFree = (
  { freesHarmless }: CompiledPolicy,
  { isFree, tool: { spec } }: Registration,
): boolean => isFree === true || (freesHarmless && spec.risk === "low" && isReadOnly(spec));

export const stand = (
  policy: CompiledPolicy,
  link: PolicyCaller,
  registration: Registration,
): CallerStanding => {
  const free = isFree(policy, registration);
  const refusal = refuse(link, registration.key, free);
  if (refusal !== undefined)
    return { given: toCase(policy, registration.tool, [], free), settled: refusal, visible: refusal };
  const group = groupOf(link, registration);
  group.standing ??= toStanding(
    toCase(
      policy,
      registration.tool,
      link.rules.filter((rule) => rule.covers(registration)),
      free,
    ),
  );
  return group.standing;
};

const refuse = ({ broken, rights }: PolicyCaller, key: string, free: boolean): Decision | undefined => {
  if (broken !== undefined) return decision("deny", broken);
  for (const right of rights) {
    const why = refuseBy(right, key, free);
    if (why !== undefined) return decision("deny", why);
  }
  return undefined;
};

const toCase = (
  { rules, blockHighRisk, guardsSinks }: CompiledPolicy,
  tool: AnyTool,
  covering: readonly CompiledRule[],
  free: boolean,
): Case => ({
  spec: tool.spec,
  rules: covering,
  needsRule: rules.length > 0 && !free,
  blockHighRisk,
  guardsSink: guardsSinks && isSink(tool),
  concluded: new Map(),
});

const newGroup = (): ToolGroup => ({ next: new Map(), standing: undefined });

const groupOf = ({ groups, rules }: PolicyCaller, registration: Registration): ToolGroup => {
  let group = groupBelow(groups, traitsOf(registration));
  for (const rule of rules) if (rule.covers(registration)) group = groupBelow(group, rule);
  return group;
};

/** All of a tool that a decision depends on besides the rules, as one number. */
const traitsOf = ({ isFree, tool }: Registration): number => {
  const { risk, requiresApproval, noSchemaMode, annotations } = tool.spec;
  return (
    (isFree === true ? 1 : 0) |
    (requiresApproval ? 2 : 0) |
    (annotations.readOnly === true ? 4 : 0) |
    (isSink(tool) ? 8 : 0) |
    (risks.indexOf(risk) << 4) |
    (noSchemaMode === undefined ? 0 : (noSchemaModes.indexOf(noSchemaMode) + 1) << 6)
  );
};

const groupBelow = ({ next }: ToolGroup, step: number | CompiledRule): ToolGroup => {
  const before = next.get(step);
  if (before !== undefined) return before;
  const fresh = newGroup();
  next.set(step, fresh);
  return fresh;
};
