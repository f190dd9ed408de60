import { collectAgentTools, reachableAgents } from "../../agent/collect-agent-tools.ts";
import { toLibrary } from "../../agent/to-library.ts";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import { isSameCaller, type Principal } from "../../types/principal.ts";
import type { RunSummary } from "../../types/run-store.ts";
import type { Registration } from "../../types/tool.ts";
import type { StudioAgentOptions } from "./studio-options.ts";
import type { StudioServices } from "./studio-services.ts";

/** The configured principal of the same caller, whose permissions may have changed since; else the recorded one. */
export const currentPrincipalOf = ({ haft, options }: StudioServices, recorded: Principal): Principal => {
  const configured = [haft.principal, ...options.principals];
  return configured.find((each) => each !== undefined && isSameCaller(each, recorded)) ?? recorded;
};

/** The agent of the chat, the run's first agent, or one that can hand off to its current agent. */
export const studioAgentOf = (
  { options, chats }: StudioServices,
  { runId, agent, firstAgent }: Pick<RunSummary, "runId" | "agent"> & { readonly firstAgent?: string },
): StudioAgentOptions | undefined => {
  const chat = chats.find(runId);
  if (chat !== undefined) return chat.agent;
  const candidates = options.agents.filter((each) =>
    [...reachableAgents(each.agent)].some(({ name }) => name === agent),
  );
  return candidates.find((each) => each.agent.name === firstAgent) ?? candidates[0];
};

export const toolsOfAgent = (
  { registry }: StudioServices["shared"],
  { agent, run }: StudioAgentOptions,
): ReadonlyMap<string, Registration> =>
  collectAgentTools(registry, {
    agent,
    library: run.library === undefined ? undefined : toLibrary(run.library),
    mode: run.bind ?? "compatible",
  });

/** Checked first, because resuming uses up the answer, or voids it if the tool has changed. */
export const resumeProblem = (
  { shared }: StudioServices,
  { tool, rawTool, definition }: ApprovalRecord,
  agent: StudioAgentOptions | undefined,
): string | undefined => {
  const found = findAgentTool(shared.registry.get(rawTool), rawTool, agent, shared);
  if (found === undefined) return `this Studio has no tool ${tool}`;
  if (found.key !== tool) return `the name now belongs to the tool ${found.key}`;
  return definitionHash(found.tool.spec) === definition
    ? undefined
    : `the tool ${tool} has changed since the request`;
};

const findAgentTool = (
  found: Registration | undefined,
  rawTool: string,
  agent: StudioAgentOptions | undefined,
  shared: StudioServices["shared"],
): Registration | undefined => {
  if (agent === undefined) return found;
  const agentTools = toolsOfAgent(shared, agent);
  const own = agentTools.get(rawTool);
  if (own !== undefined) return own;
  return found !== undefined && agentTools.get(found.wireName) === found ? found : undefined;
};
