import type { PendingServer } from "../policy/check/tool-index.ts";
import { optionsOfEngine, type PolicyEngine } from "../policy/engine.ts";
import type { PolicyOptions } from "../policy/options.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { EventBus } from "../types/event.ts";
import type { McpServer, McpServerState } from "../types/mcp.ts";
import type { PolicyProblem } from "../types/policy-problem.ts";
import type { Principal } from "../types/principal.ts";
import type { Config } from "./config.ts";
import type { McpOptions } from "./mcp-options.ts";

export interface PolicyWatcher {
  readonly problems: () => readonly PolicyProblem[];
  readonly changed: () => void;
  readonly close: () => void;
}

export interface PolicyWatchOptions {
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly policy: PolicyOptions;
  readonly principal: Principal | undefined;
  readonly servers: () => readonly McpServerState[];
  readonly configuredServers?: McpOptions["servers"];
}

/** Debounce after the last registration. */
const debounceMs = 100;

/** Throws a ConfigurationError if the policy has errors now. Later problems are emitted as events. */
export const watchPolicy = async (options: PolicyWatchOptions): Promise<PolicyWatcher> => {
  const { registry, events, policy, principal, servers, configuredServers } = options;
  if (!needsPolicyCheck(policy, principal) && !Object.values(configuredServers ?? {}).some(hasToolPatterns))
    return { problems: () => [], changed: () => {}, close: () => {} };
  const [{ checkPolicy }, { refusePolicyErrors }] = await Promise.all([
    import("../policy/check-policy.ts"),
    import("../policy/check/find-policy-errors.ts"),
  ]);
  const problems = (): readonly PolicyProblem[] => {
    const states = servers();
    return checkPolicy({
      policy,
      registrations: registry.list(),
      pendingServers: pendingServersOf(states, configuredServers),
      unmatched: states.flatMap(({ id, unmatched = [] }) =>
        unmatched.map((each) => ({ server: id, ...each })),
      ),
      principals: principal === undefined ? [] : [{ principal, path: ["principal"] }],
    });
  };
  let reported: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  const report = (found: readonly PolicyProblem[]): void => {
    const known = reported;
    reported = new Set(found.map(problemKey));
    for (const each of found) if (!known.has(problemKey(each))) events.emit("policy.problem", each);
  };
  const scheduleCheck = (): void => {
    if (timer !== undefined) return void timer.refresh();
    timer = setTimeout(() => {
      timer = undefined;
      report(problems());
    }, debounceMs);
    timer.unref();
  };
  const found = problems();
  refusePolicyErrors(found.filter(({ severity }) => severity === "error"));
  report(found);
  const stops = [
    registry.onChange(scheduleCheck),
    events.on("tools.mcp-connected", scheduleCheck),
    events.on("tools.mcp-disconnected", scheduleCheck),
  ];
  return {
    problems,
    changed: scheduleCheck,
    close: () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
};

const problemKey = ({ code, place, message }: PolicyProblem): string => `${code} ${place} ${message}`;

/** Skips the check, and loading it, for runtimes without a policy and with an unrestricted principal. */
const needsPolicyCheck = (
  { rules, toolkits, rights, injection }: PolicyOptions,
  principal: Principal | undefined,
): boolean => {
  if ((rules?.length ?? 0) > 0 || [toolkits, rights, injection].some((each) => each !== undefined))
    return true;
  if (principal === undefined) return false;
  const { allow = [], deny = [], toolkits: kits = [], within } = principal;
  const mayUseAll = allow.length === 1 && allow[0] === "*";
  return !mayUseAll || deny.length > 0 || kits.length > 0 || within !== undefined;
};

const hasToolPatterns = ({ terms, include, exclude }: McpServer): boolean =>
  [Object.keys(terms ?? {}), include ?? [], exclude ?? []].some(({ length }) => length > 0);

export const policyOptionsOf = (
  given: PolicyOptions | PolicyEngine | undefined,
  security: Config["security"],
): PolicyOptions => {
  if (given === undefined || !("decide" in given)) return { ...security, ...given };
  return optionsOfEngine(given) ?? security;
};

/** Servers whose tools are not completely known; their names count as possibly existing. */
export const pendingServersOf = (
  states: readonly McpServerState[],
  configured: McpOptions["servers"] = {},
): readonly PendingServer[] => [
  ...states
    .filter(hasUnknownTools)
    // Servers connected by code may use any tool names.
    .map(({ id }) => ({ id, isBare: configured[id] === undefined || configured[id].names === "bare" })),
  ...Object.entries(configured)
    .filter(([id]) => states.every((state) => state.id !== id))
    .map(([id, { names }]) => ({ id, isBare: names === "bare" })),
];

const hasUnknownTools = ({ status, reason, connectedAt, quarantined }: McpServerState): boolean => {
  if (status === "connected" || status === "degraded") return quarantined.length > 0;
  if (status === "disconnected" || connectedAt !== undefined) return true;
  return status === "connecting" && reason === undefined;
};
