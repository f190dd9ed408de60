import { copyJson } from "../../json/copy-json.ts";
import type { Agent } from "../../words/agent.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { Json } from "../../words/json.ts";
import { Problems } from "../signature/problems.ts";
import { limits } from "../signature/read-written-json.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { readAgentJson } from "./read-agent-json.ts";
import { agentFields } from "./to-agent.ts";

/** A spec, or an agent with code in it, of which only what can be written is taken. */
export type WritableAgent = AgentSpec | Agent;

/** Judged as a file is, so that nothing is written that could not be read again. */
export const toAgentSpec = (agent: WritableAgent): AgentSpec => {
  const { model, tools = [], handoffs = [] } = agent;
  const given = {
    ...Object.fromEntries(agentFields.map((field) => [field, agent[field]])),
    model: isObject(model) ? model.id : model,
    tools: tools.map((tool) => (isObject(tool) && "spec" in tool ? tool.spec : tool)),
    handoffs: handoffs.map((other) => (isObject(other) ? other.name : other)),
  };
  const copy = copyJson(given, limits);
  if (!copy.ok) throw refused(copy.problem.message);
  const problems = new Problems();
  const { agents } = readAgentJson(copy.value as Json, undefined, problems);
  const [spec] = agents;
  if (spec !== undefined && problems.list.length === 0) return spec;
  throw refused(problems.list.map(({ message }) => message).join(" "));
};

const isObject = <T>(value: T): value is T & object => typeof value === "object" && value !== null;

const refused = (why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `The agent cannot be written. ${why}`);
