import type { Principal } from "../types/principal.ts";
import { type AnyTool, isReadOnly, noSchemaModes, type Registration, risks } from "../types/tool.ts";
import { type AccessProfile, toAccessProfile } from "./access-profile.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { type Decision, type DecisionCase, makeDecision } from "./decide-case.ts";
import { type CompiledRight, compileRight, explainRefusal } from "./right.ts";
import { findRight } from "./right-tables.ts";
import type { CompiledRule } from "./rule.ts";
import { isAddressReader, isPrivateRead, isSink } from "./taint.ts";

/** A trie that shares one access profile among tools with the same traits and rules. */
interface ToolGroup {
  readonly next: Map<number | CompiledRule, ToolGroup>;
  profile: AccessProfile | undefined;
}

export interface PolicyCaller {
  readonly principal: Principal;
  readonly broken: string | undefined;
  /** Every one must allow a call. */
  readonly rights: readonly CompiledRight[];
  readonly rules: readonly CompiledRule[];
  readonly groups: ToolGroup;
  /** False after the principal was changed. */
  readonly isCurrent: () => boolean;
}

export const toPolicyCaller = (policy: CompiledPolicy, principal: Principal): PolicyCaller => {
  const isCurrent = watchPrincipal(principal);
  const rights = readRights(policy, principal);
  const rules = typeof rights === "string" ? [] : policy.rules.filter((rule) => rule.concerns(principal));
  return typeof rights === "string"
    ? { principal, broken: rights, rights: [], rules, groups: createToolGroup(), isCurrent }
    : { principal, broken: undefined, rights, rules, groups: createToolGroup(), isCurrent };
};

const alwaysCurrent = () => true;

/** A principal that is not deeply frozen may lose a right by mutation. */
export const watchPrincipal = (principal: Principal): (() => boolean) => {
  const now = () => [principal.allow, principal.deny, principal.toolkits, principal.roles];
  const lists = now();
  if (Object.isFrozen(principal) && lists.every((list) => list === undefined || Object.isFrozen(list)))
    return alwaysCurrent;
  const { agent, user, tenant, within } = principal;
  const copies = lists.map((list) => (Array.isArray(list) ? [...list] : list));
  return () =>
    principal.agent === agent &&
    principal.user === user &&
    principal.tenant === tenant &&
    principal.within === within &&
    now().every((list, index) => isSameList(list, copies[index]));
};

const isSameList = (list: readonly string[] | undefined, copy: readonly string[] | undefined): boolean => {
  if (list === undefined || copy === undefined) return list === copy;
  return list.length === copy.length && list.every((entry, index) => entry === copy[index]);
};

const readRights = (policy: CompiledPolicy, principal: Principal): readonly CompiledRight[] | string => {
  const unreadable = (why: string) => `the principal cannot be read: ${why}`;
  if (typeof principal.agent !== "string" || principal.agent === "") return unreadable("it has no agent");
  const rights: CompiledRight[] = [];
  try {
    rights.push(compileRight(`"${principal.agent}"`, principal, policy.toolkits));
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause));
  }
  for (const table of policy.tables) {
    const right = findRight(table, principal);
    if (typeof right === "string") return right;
    rights.push(right);
  }
  return rights;
};

export const isExemptFromRights = (
  { freesHarmless }: CompiledPolicy,
  { isFree, tool: { spec } }: Registration,
): boolean => isFree === true || (freesHarmless && spec.risk === "low" && isReadOnly(spec));

export const accessProfileOf = (
  policy: CompiledPolicy,
  link: PolicyCaller,
  registration: Registration,
): AccessProfile => {
  const isExempt = isExemptFromRights(policy, registration);
  const refusal = refuseCaller(link, registration.key, isExempt);
  if (refusal !== undefined)
    return {
      given: toDecisionCase(policy, registration.tool, [], isExempt),
      settled: refusal,
      visible: refusal,
    };
  const group = toolGroupOf(link, registration);
  group.profile ??= toAccessProfile(
    toDecisionCase(
      policy,
      registration.tool,
      link.rules.filter((rule) => rule.covers(registration)),
      isExempt,
    ),
  );
  return group.profile;
};

const refuseCaller = ({ broken, rights }: PolicyCaller, key: string, free: boolean): Decision | undefined => {
  if (broken !== undefined) return makeDecision("deny", broken);
  for (const right of rights) {
    const why = explainRefusal(right, key, free);
    if (why !== undefined) return makeDecision("deny", why);
  }
  return undefined;
};

const toDecisionCase = (
  { rules, blockHighRisk, guardsSinks, guardsAddresses, injectionGuard }: CompiledPolicy,
  tool: AnyTool,
  covering: readonly CompiledRule[],
  free: boolean,
): DecisionCase => ({
  spec: tool.spec,
  rules: covering,
  needsRule: rules.length > 0 && !free,
  blockHighRisk,
  guardsSink: guardsSinks && isSink(tool),
  guardsAddresses: guardsAddresses && isAddressReader(tool),
  guardsPrivateRead: guardsSinks && injectionGuard.mode === "plan" && isPrivateRead(tool),
  injectionGuard,
  concluded: new Map(),
});

const createToolGroup = (): ToolGroup => ({ next: new Map(), profile: undefined });

const toolGroupOf = ({ groups, rules }: PolicyCaller, registration: Registration): ToolGroup => {
  let group = childGroup(groups, traitBitsOf(registration));
  for (const rule of rules) if (rule.covers(registration)) group = childGroup(group, rule);
  return group;
};

/** Every property of a tool that a decision depends on. */
const traitBitsOf = ({ isFree, tool }: Registration): number => {
  const { risk, requiresApproval, noSchemaMode, annotations } = tool.spec;
  return (
    (isFree === true ? 1 : 0) |
    (requiresApproval ? 2 : 0) |
    (annotations.readOnly === true ? 4 : 0) |
    (isSink(tool) ? 8 : 0) |
    (risks.indexOf(risk) << 4) |
    (isAddressReader(tool) ? 1 << 10 : 0) |
    (isPrivateRead(tool) ? 1 << 11 : 0) |
    (noSchemaMode === undefined ? 0 : (noSchemaModes.indexOf(noSchemaMode) + 1) << 6)
  );
};

const childGroup = ({ next }: ToolGroup, step: number | CompiledRule): ToolGroup => {
  const before = next.get(step);
  if (before !== undefined) return before;
  const fresh = createToolGroup();
  next.set(step, fresh);
  return fresh;
};
