import * as Context from "effect/Context";
import { ConfigurationError } from "../words/errors.ts";
import type { Principal } from "../words/principal.ts";
import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import type { Registration } from "../words/tool.ts";
import { type Case, type Decision, decision, judge, type Meets } from "./judge.ts";
import { compilePatterns, type Matcher } from "./pattern.ts";
import { type Right, toRight } from "./right.ts";
import { type CompiledRule, compileRule, type Rule } from "./rule.ts";

export type { Decision } from "./judge.ts";

export interface PolicyRequest {
  readonly principal: Principal | undefined;
  readonly registration: Registration;
  readonly input: unknown;
  /** Whether the input was held against the tool's schema and passed. */
  readonly validated: boolean;
  /** The arguments were mended on the way, so they may not be what was meant. */
  readonly repaired?: boolean;
}

/** Pure and synchronous: it is asked on every call, and for every tool that might be offered. */
export interface PolicyEngine {
  /** The best that any arguments could get: `deny` means the tool is not there for this caller. */
  readonly visible: (principal: Principal | undefined, registration: Registration) => Decision;
  readonly decide: (request: PolicyRequest) => Decision;
}

export class Policy extends Context.Service<Policy, PolicyEngine>()("haft/Policy") {}

export interface PolicyOptions {
  /** Once there is a rule, a call needs one that allows it, besides the principal's own right. */
  readonly rules?: readonly Rule[];
  /** Tool name patterns under a name that principals and rules can use. */
  readonly toolkits?: Readonly<Record<string, readonly string[]>>;
  /** High and critical risk needs a person unless a rule waives it. On unless set to false. */
  readonly blockHighRiskWithoutApproval?: boolean;
  /** Set to false, read-only tools of low risk need no grant, only a caller and no denial. */
  readonly requireAuthorizationForAll?: boolean;
}

/** Everything about one principal and one tool that does not hang on arguments. */
interface Standing {
  readonly visible: Decision;
  /** Missing where a condition has to see the arguments first. */
  readonly settled: Decision | undefined;
  readonly given: Case;
}

/**
 * Tools that differ in nothing that decides stand alike; of a thousand there are a handful of kinds. The way to
 * a kind leads over what decides, one step after another.
 */
interface Kind {
  readonly next: Map<unknown, Kind>;
  standing: Standing | undefined;
}

interface Acquaintance {
  readonly right: Right;
  readonly rules: readonly CompiledRule[];
  readonly standings: WeakMap<Registration, Standing>;
  readonly kinds: Kind;
}

const nobody = decision("deny", "nobody is calling, and nobody may use anything");

export const policy = (options: PolicyOptions = {}): PolicyEngine => {
  const toolkits = compileToolkits(options.toolkits ?? {});
  const rules = compileRules(options.rules ?? [], toolkits);
  const blockHighRisk = options.blockHighRiskWithoutApproval !== false;
  const freesHarmless = options.requireAuthorizationForAll === false;
  const known = new WeakMap<Principal, Acquaintance>();

  const meet = (principal: Principal): Acquaintance => {
    const before = known.get(principal);
    if (before?.right.isCurrent()) return before;
    const right = toRight(principal, toolkits);
    const own = right.broken === undefined ? rules.filter((rule) => rule.concerns(principal)) : [];
    const acquaintance = { right, rules: own, standings: new WeakMap(), kinds: newKind() };
    known.set(principal, acquaintance);
    return acquaintance;
  };

  const stand = (principal: Principal, registration: Registration, met: Acquaintance): Standing => {
    const { spec } = registration.tool;
    const free = freesHarmless && spec.risk === "low" && isReadOnly(spec);
    const refusal = refuse(met.right, principal.agent, registration.key, free);
    if (refusal !== undefined) return refused(spec, refusal);
    const kind = kindOf(met, registration);
    kind.standing ??= judgeAll(
      spec,
      met.rules.filter((rule) => rule.covers(registration)),
      free,
    );
    return kind.standing;
  };

  const judgeAll = (spec: ToolSpec, covering: readonly CompiledRule[], free: boolean): Standing => {
    const given: Case = { spec, rules: covering, needsRule: rules.length > 0 && !free, blockHighRisk };
    const settled = covering.some(hasCondition) ? undefined : judge(given, always);
    return { given, settled, visible: settled ?? best(given) };
  };

  return Object.freeze({
    // Asked of every tool there is, so it keeps nothing of its own for any of them.
    visible: (principal, registration) => {
      if (principal === undefined) return nobody;
      const met = meet(principal);
      return (met.standings.get(registration) ?? stand(principal, registration, met)).visible;
    },
    decide: ({ principal, registration, input, validated, repaired }) => {
      if (principal === undefined) return nobody;
      const met = meet(principal);
      let standing = met.standings.get(registration);
      if (standing === undefined) {
        standing = stand(principal, registration, met);
        met.standings.set(registration, standing);
      }
      const { settled, given } = standing;
      const decided = settled ?? (validated ? judge(given, meetsWith(input)) : worst(given));
      return repaired === true ? doubt(decided, given) : decided;
    },
  } satisfies PolicyEngine);
};

const newKind = (): Kind => ({ next: new Map(), standing: undefined });

const kindOf = ({ kinds, rules }: Acquaintance, registration: Registration): Kind => {
  const { risk, requiresApproval, noSchemaMode, annotations } = registration.tool.spec;
  let kind = kindBelow(kindBelow(kinds, risk), requiresApproval);
  kind = kindBelow(kindBelow(kind, noSchemaMode), annotations.readOnly);
  for (const rule of rules) if (rule.covers(registration)) kind = kindBelow(kind, rule);
  return kind;
};

const kindBelow = ({ next }: Kind, step: unknown): Kind => {
  const before = next.get(step);
  if (before !== undefined) return before;
  const fresh = newKind();
  next.set(step, fresh);
  return fresh;
};

const refused = (spec: ToolSpec, refusal: Decision): Standing => ({
  given: { spec, rules: [], needsRule: true, blockHighRisk: true },
  settled: refusal,
  visible: refusal,
});

const refuse = (right: Right, agent: string, key: string, free: boolean): Decision | undefined => {
  if (right.broken !== undefined) return decision("deny", `the principal cannot be read: ${right.broken}`);
  if (right.denies(key)) return decision("deny", `the deny list of "${agent}" covers ${key}`);
  if (free || right.allows(key)) return undefined;
  const unknown = right.missing.length === 0 ? "" : `; there is no toolkit ${right.missing.join(", ")}`;
  return decision("deny", `neither the allow list nor a toolkit of "${agent}" covers ${key}${unknown}`);
};

const always: Meets = () => true;

const hasCondition = (rule: CompiledRule): boolean => rule.condition !== undefined;

/**
 * What cannot be known of a condition is answered both ways, because an `approve` restricts where
 * something else allows and permits where nothing does. A tool is shown for the better answer;
 * arguments that were never validated get the worse, as conditions rely on the types of the schema.
 */
const best = (given: Case): Decision => {
  const evaded = judge(given, (rule) => !hasCondition(rule) || rule.effect === "allow");
  if (evaded.effect !== "deny") return evaded;
  return judge(given, (rule) => !hasCondition(rule) || rule.effect !== "deny");
};

const worst = (given: Case): Decision => {
  const denied = judge(given, (rule) => !hasCondition(rule) || rule.effect === "deny");
  if (denied.effect === "deny") return denied;
  return judge(given, (rule) => !hasCondition(rule) || rule.effect !== "allow");
};

/** What was mended is untrusted: unless a rule that waives approval let it through, a write needs a person. */
const doubt = (decided: Decision, { spec, rules }: Case): Decision => {
  if (decided.effect !== "allow" || isReadOnly(spec)) return decided;
  const waived = rules.some((rule) => rule.waivesApproval && decided.ruleIds.includes(rule.id));
  return waived ? decided : decision("approve", "its arguments were repaired", decided.ruleIds);
};

const meetsWith =
  (input: unknown): Meets =>
  ({ condition }) =>
    condition === undefined || condition(input);

const compileToolkits = (toolkits: NonNullable<PolicyOptions["toolkits"]>): ReadonlyMap<string, Matcher> =>
  new Map(
    collect(Object.entries(toolkits), ([name, patterns]) => [name, compilePatterns(patterns)] as const),
  );

const compileRules = (
  rules: readonly Rule[],
  toolkits: ReadonlyMap<string, Matcher>,
): readonly CompiledRule[] => {
  const ids = new Set<string>();
  return collect([...rules.entries()], ([index, rule]) => {
    const compiled = compileRule(rule, `rules[${index}]`, toolkits);
    if (ids.has(compiled.id)) {
      throw new ConfigurationError(
        "invalid_config",
        `rules[${index}].id is "${compiled.id}", which another rule has.`,
      );
    }
    ids.add(compiled.id);
    return compiled;
  });
};

/** Names every bad entry at once. */
const collect = <A, B>(entries: readonly A[], compile: (entry: A) => B): readonly B[] => {
  const refusals: string[] = [];
  const compiled = entries.flatMap((entry) => {
    try {
      return [compile(entry)];
    } catch (cause) {
      refusals.push(cause instanceof Error ? cause.message : String(cause));
      return [];
    }
  });
  if (refusals.length > 0) throw new ConfigurationError("invalid_config", refusals.join(" "));
  return compiled;
};
