import type { Agent } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { EventBus } from "../../types/event.ts";
import type { Model } from "../../types/model.ts";
import type { Principal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";
import { loadToolName, searchToolName } from "../../types/tool-search.ts";
import type { BoundSearch } from "./bind-search.ts";

/**
 * Called before each model request. Throws if policy denies Haft's search, and emits once per agent and model
 * that it replaces the provider's.
 */
export const searchFallback = (
  events: EventBus,
  isVisible: (registration: Registration) => boolean,
  principal: Principal | undefined,
) => {
  const reported = new Set<string>();
  return ({ search }: { readonly search: BoundSearch | undefined }, agent: Agent, model: Model): void => {
    if (isSearchHidden(search, isVisible, model)) throw notSearchable(agent, principal);
    const { name } = agent;
    if (search?.settings.by !== "provider" || model.searchesTools === true) return;
    const key = JSON.stringify([name, model.id]);
    if (reported.has(key)) return;
    reported.add(key);
    events.emit("tools.search-fallback", { agentName: name, model: model.id });
  };
};

export const isSearchHidden = (
  search: BoundSearch | undefined,
  isVisible: (registration: Registration) => boolean,
  model?: Model,
): boolean => {
  if (search === undefined) return false;
  const isByProvider =
    search.settings.by === "provider" && (model === undefined || model.searchesTools === true);
  return !isByProvider && !search.tools.every(isVisible);
};

/** Without the search, the model would see almost no tools. */
export const notSearchable = ({ name }: Agent, principal: Principal | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The agent "${name}" searches its tools, and policy denies "${principal?.agent}" the tools "${searchToolName}" and "${loadToolName}". Allow them, or remove toolSearch.`,
  );
