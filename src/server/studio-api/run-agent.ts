import { collectAgentTools, reachableAgents } from "../../agent/collect-agent-tools.ts";
import { toLibrary } from "../../agent/to-library.ts";
import { definitionHash } from "../../tools/definition-hash.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import { isSameCaller, type Principal } from "../../types/principal.ts";
import type { RunSummary } from "../../types/run-store.ts";
import type { Registration } from "../../types/tool.ts";
import type { StudioAgentOptions } from "./studio-options.ts";
import type { StudioServices } from "./studio-services.ts";

/** With the currently configured rights, if any. */
export const currentPrincipalOf = ({ haft, options }: StudioServices, recorded: Principal): Principal => {
  const configured = [haft.principal, ...options.principals];
  return configured.find((each) => each !== undefined && isSameCaller(each, recorded)) ?? recorded;
};

/** The agent of the chat, the first agent, or one that can hand off to the current one. */
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

/** Checked before resuming, which consumes the answer and voids it if the tool changed. */
export const resumeProblem = (
  { shared }: StudioServices,
  { tool, rawTool, definition }: ApprovalRecord,
  agent: StudioAgentOptions | undefined,
): string | undefined => {
  const found = findAgentTool(shared.registry.get(rawTool), rawTool, agent, shared);
  if (found === undefined) return `the tool ${tool} is not here`;
  if (found.key !== tool) return `${found.key} has its name now`;
  return definitionHash(found.tool.spec) === definition ? undefined : `the tool ${tool} has changed since`;
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
