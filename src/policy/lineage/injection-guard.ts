import { shown } from "../../base/text/visible.ts";
import type { PlannedUse, RunLineage, RunPlan, ValueOrigin } from "../../types/lineage.ts";
import type { Registration } from "../../types/tool.ts";
import { isRemoteTool } from "../taint.ts";
import { foldText } from "./find-value.ts";
import { compileKnownTargets, type KnownTargetCheck, type KnownTargets } from "./known-targets.ts";
import { traceArguments, trustedSources } from "./trace-arguments.ts";

/**
 * What requires approval after a run has read untrusted content. `taint`: every sink. `lineage`: sinks whose
 * targets come from nowhere else. `plan`: also sinks and private reads that the model did not plan before it
 * read untrusted content.
 */
export type InjectionMode = "taint" | "lineage" | "plan";

export const injectionModes: readonly InjectionMode[] = ["taint", "lineage", "plan"];

/** Settings of the guard against prompt injection. */
export interface InjectionOptions {
  /** Unless set: `taint`. */
  readonly mode?: InjectionMode;
  /** Targets that are trusted, by argument name. Unless set: none. */
  readonly knownTargets?: KnownTargets;
}

export interface InjectionGuard {
  readonly mode: InjectionMode;
  readonly isKnown: KnownTargetCheck;
}

export const compileInjectionGuard = ({
  mode = "taint",
  knownTargets = {},
}: InjectionOptions): InjectionGuard => ({
  mode,
  isKnown: compileKnownTargets(knownTargets),
});

/** Why a call in a tainted run requires approval. */
export interface InjectionDoubt {
  readonly reason: string;
  /** The tool is not in the run's plan, so the model may follow untrusted content. */
  readonly leavesPlan: boolean;
}

export interface GuardedCall {
  readonly registration: Registration;
  readonly input: unknown;
  readonly lineage: RunLineage | undefined;
  readonly taints: readonly string[];
}

/** For a sink in a run that has read untrusted content. Undefined if the call needs no approval. */
export const doubtSink = (guard: InjectionGuard, call: GuardedCall): InjectionDoubt | undefined => {
  const { lineage, registration, input, taints } = call;
  if (lineage === undefined || lineage.texts.length === 0)
    return { reason: describeTaints(taints), leavesPlan: false };
  const origins = traceArguments(registration, input, { lineage, isKnown: guard.isKnown });
  const doubted = doubtedOrigins(registration, origins);
  if (guard.mode === "taint") {
    const known = doubted.filter(({ source }) => source === "untrusted" || hasUserText(lineage));
    return {
      reason: [describeTaints(taints), ...describeOrigins(known, lineage)].join("; "),
      leavesPlan: false,
    };
  }
  const planned = guard.mode === "plan" ? planProblem(lineage, registration, origins) : undefined;
  if (doubted.length === 0 && planned === undefined && hasTarget(origins)) return undefined;
  const reasons = [...(planned === undefined ? [] : [planned]), ...describeOrigins(doubted, lineage)];
  if (reasons.length === 0) reasons.push(`${describeTaints(taints)}, and names no target`);
  const leavesPlan = planned !== undefined && !isPlanned(lineage, registration);
  return { reason: reasons.join("; "), leavesPlan };
};

/** For a tool that reads private data. Only a plan restricts it. */
export const doubtPrivateRead = (guard: InjectionGuard, call: GuardedCall): InjectionDoubt | undefined => {
  if (guard.mode !== "plan") return undefined;
  const problem = planProblem(call.lineage, call.registration, []);
  return problem === undefined ? undefined : { reason: problem, leavesPlan: true };
};

const maxDescribed = 3;

const isOwnTarget = ({ role, isLink }: ValueOrigin): boolean =>
  isLink !== true && (role === "target" || role === "id");

const hasTarget = (origins: readonly ValueOrigin[]): boolean =>
  origins.some((origin) => isOwnTarget(origin) || origin.role === "subject");

/** A subject counts only for a call without targets. */
const doubtedOrigins = ({ tool }: Registration, origins: readonly ValueOrigin[]): readonly ValueOrigin[] => {
  const isReversible = tool.spec.annotations.reversible === true && !isRemoteTool(tool);
  const hasOwnTarget = origins.some(isOwnTarget);
  return origins.filter(({ role, source }) => {
    if (trustedSources.has(source)) return false;
    if (role === "subject") return !hasOwnTarget;
    return !(role === "id" && isReversible && source === "untrusted");
  });
};

const planProblem = (
  lineage: RunLineage | undefined,
  { key, tool }: Registration,
  origins: readonly ValueOrigin[],
): string | undefined => {
  const plan = lineage?.plan;
  if (plan === undefined) return "the run has no plan, and the call follows untrusted content";
  if (lineage?.hasLeftPlan === true)
    return "an earlier call left the plan of the run, which covers no further call";
  const uses = usesOf(plan, key);
  if (uses.length === 0) return `${key} is not in the plan that was made before untrusted content was read`;
  if (uses.some(({ targets }) => targets === undefined)) return undefined;
  const planned = new Set(uses.flatMap(({ targets = [] }) => targets.map(foldText)));
  if (planned.size === 0) return `the plan names no target for ${key} that the user named`;
  // An ID that can be looked up again and taken back is not part of the plan.
  const isBound = (origin: ValueOrigin): boolean =>
    isOwnTarget(origin) && !(origin.role === "id" && tool.spec.annotations.reversible === true);
  const bound = origins.filter(isBound);
  const other = bound.find(({ value }) => !planned.has(foldText(value)));
  if (other !== undefined)
    return `${argumentOf(other)}: ${quote(other.value)} is not a target that the plan names for ${key}`;
  return bound.length === 0 ? `the call names none of the targets that the plan names for ${key}` : undefined;
};

const usesOf = ({ uses }: RunPlan, key: string): readonly PlannedUse[] =>
  uses.filter(({ tool }) => tool === key);

const isPlanned = ({ plan }: RunLineage, { key }: Registration): boolean =>
  plan !== undefined && usesOf(plan, key).length > 0;

const describeTaints = (taints: readonly string[]): string => {
  const more = taints.length > 3 ? ` and ${taints.length - 3} more` : "";
  return `untrusted content of ${taints.slice(0, 3).join(", ")}${more} is in the conversation, and the call carries data out`;
};

const hasUserText = ({ texts }: RunLineage): boolean => texts.some(({ source }) => source === "user");

/** For operators: values and excerpts are untrusted. */
const describeOrigins = (origins: readonly ValueOrigin[], lineage: RunLineage): readonly string[] => {
  const more = origins.length - maxDescribed;
  return [
    ...origins.slice(0, maxDescribed).map((origin) => describeOrigin(origin, hasUserText(lineage))),
    ...(more > 0 ? [`${more} more ${more === 1 ? "value" : "values"} from no trusted source`] : []),
  ];
};

const describeOrigin = (origin: ValueOrigin, knowsRequest: boolean): string => {
  const { source, tool, call, excerpt, value } = origin;
  const named = `${argumentOf(origin)}: ${quote(value)}`;
  const missing = knowsRequest ? ", not in the user's request" : "";
  if (source === "model") return `${named} is in none of the texts that the run has read`;
  const from = `${tool}${call === undefined ? "" : ` (call ${call})`}`;
  const around = excerpt === undefined ? "" : `: ${JSON.stringify(excerpt)}`;
  return `${named} appears only in ${from}${missing}${around}`;
};

const argumentOf = ({ pointer }: ValueOrigin): string => {
  const path = pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  return /^[\w/-]{1,80}$/.test(path) ? path : path === "" ? "arguments" : quote(path);
};

const quote = (text: string): string => JSON.stringify(shown(text));
