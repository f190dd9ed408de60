import { agentTools, everyAgent } from "../agent/agent-tools.ts";
import { toLibrary } from "../agent/library.ts";
import { definitionHash } from "../tool/definition-hash.ts";
import type { ApprovalRecord } from "../words/approval.ts";
import { isSameParty, type Principal } from "../words/principal.ts";
import type { RunSummary } from "../words/run-book.ts";
import type { Registration } from "../words/tool.ts";
import type { StudioWorld } from "./world.ts";

type KnownAgent = StudioWorld["options"]["agents"][number];

/** The same caller with the rights that it has here today; of one that nobody configured, those that the ledger has. */
export const callerToday = ({ haft, options }: StudioWorld, asked: Principal): Principal => {
  const here = [haft.principal, ...options.principals];
  return here.find((each) => each !== undefined && isSameParty(each, asked)) ?? asked;
};

/** The agent of the Studio whose run this is: the one that was asked first, or one that can hand over to who speaks. */
export const agentOf = (
  { options }: StudioWorld,
  { agent, firstAgent }: Pick<RunSummary, "agent"> & { readonly firstAgent?: string },
): KnownAgent | undefined => {
  const fitting = options.agents.filter((each) =>
    [...everyAgent(each.agent)].some(({ name }) => name === agent),
  );
  return fitting.find((each) => each.agent.name === firstAgent) ?? fitting[0];
};

/** The tools that an agent has here, by the names its model knows them by. */
export const toolsOfAgent = (
  { registry }: StudioWorld["shared"],
  { agent, run }: KnownAgent,
): ReadonlyMap<string, Registration> =>
  agentTools(registry, {
    agent,
    library: run.library === undefined ? undefined : toLibrary(run.library),
    mode: run.bind ?? "compatible",
  });

/**
 * Going on takes an answer for good, and one whose tool is not the same becomes void. So what cannot be made here as it
 * was asked is left for whoever can.
 */
export const whyNotHere = (
  { shared }: StudioWorld,
  { tool, rawTool, definition }: ApprovalRecord,
  agent: KnownAgent | undefined,
): string | undefined => {
  const found = lookUp(shared.registry.get(rawTool), rawTool, agent, shared);
  if (found === undefined) return `the tool ${tool} is not here`;
  if (found.key !== tool) return `${found.key} has its name now`;
  return definitionHash(found.tool.spec) === definition ? undefined : `the tool ${tool} has changed since`;
};

/** As a call looks for it: an agent's own tool, or one of the runtime that the agent was given. */
const lookUp = (
  found: Registration | undefined,
  rawTool: string,
  agent: KnownAgent | undefined,
  shared: StudioWorld["shared"],
): Registration | undefined => {
  if (agent === undefined) return found;
  const shown = toolsOfAgent(shared, agent);
  const own = shown.get(rawTool);
  if (own !== undefined) return own;
  return found !== undefined && shown.get(found.wireName) === found ? found : undefined;
};
