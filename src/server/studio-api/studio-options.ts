import { commonRunFields, type RunOptions } from "../../agent/run-options.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Agent } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { FleetOverview } from "../../types/fleet.ts";
import type { Principal } from "../../types/principal.ts";
import { isOrigin } from "../request/check-request.ts";
import { warnOfError } from "../request/http-error.ts";

/** An agent that people can chat with, and its run options. */
export interface StudioAgent {
  /** Name in the Studio. Default: the agent's name. */
  readonly name?: string;
  readonly agent: Agent;
  /** Run options. Default: those of the agent and the runtime. */
  readonly run?: Pick<RunOptions, (typeof commonRunFields)[number]>;
}

/** Options of `studio`. */
export interface StudioOptions {
  /** Path under which the Studio is mounted. Default: the root. */
  readonly base?: string;
  /**
   * Returns the authenticated person, whose roles `studio:read`, `studio:approve` and `studio:run` are their
   * scopes. Default: sign-in by link.
   */
  readonly principal?: (request: Request) => Principal | undefined | Promise<Principal | undefined>;
  /** Further accepted Host headers, such as `studio.example`. Default: loopback names only. */
  readonly hosts?: readonly string[];
  /** Agents that people can chat with and whose runs can resume here. Default: none. */
  readonly agents?: readonly (Agent | StudioAgent)[];
  /** Further principals that tools can be called as. Default: none. */
  readonly principals?: readonly Principal[];
  /** Folders with results of `haft ab --json`. Default: none. */
  readonly experiments?: readonly string[];
  /** Reads the state of the fleet. Default: none. */
  readonly fleet?: () => Promise<FleetOverview>;
  /** Origin that serves `appFrame`, which shows MCP Apps. Default: Apps are not shown. */
  readonly appOrigin?: string;
  /** Folder of the page's files. Default: those of the package. */
  readonly assets?: string;
  /** Receives errors that the page sees only as a reference. Default: a process warning. */
  readonly onError?: (error: unknown, reference: string) => void;
}

const studioFields = [
  "base",
  "principal",
  "hosts",
  "agents",
  "principals",
  "experiments",
  "fleet",
  "appOrigin",
  "assets",
  "onError",
] as const satisfies (keyof StudioOptions)[];

export type StudioAgentOptions = Required<StudioAgent>;

type OptionalStudioOption = "principal" | "fleet" | "appOrigin" | "assets";

export type ParsedStudioOptions = Required<Omit<StudioOptions, OptionalStudioOption | "agents">> &
  Pick<StudioOptions, OptionalStudioOption> & { readonly agents: readonly StudioAgentOptions[] };

export const readStudioOptions = (options: StudioOptions): ParsedStudioOptions => {
  checkFields("studio", options, studioFields);
  const { base = "", hosts = [], agents = [], principals = [], experiments = [] } = options;
  const { principal, fleet, appOrigin, assets, onError = warnOfError("A Studio request") } = options;
  if (!/^(\/[A-Za-z0-9\-._~]+)*\/?$/.test(base))
    throw studioOptionsError("`base` must be a path, such as /studio.");
  if (appOrigin !== undefined && !isOrigin(appOrigin)) {
    throw studioOptionsError("`appOrigin` must be an origin, such as http://127.0.0.1:7335.");
  }
  return {
    base: base.replace(/\/$/, ""),
    hosts: hosts.map((host) => host.toLowerCase()),
    agents: agents.map(readStudioAgent),
    principals,
    experiments,
    onError,
    ...(principal === undefined ? {} : { principal }),
    ...(fleet === undefined ? {} : { fleet }),
    ...(appOrigin === undefined ? {} : { appOrigin }),
    ...(assets === undefined ? {} : { assets }),
  };
};

const readStudioAgent = (given: Agent | StudioAgent): StudioAgentOptions => {
  const { agent, name = agent?.name, run = {} } = "agent" in given ? given : { agent: given };
  if (typeof agent?.layer !== "function") {
    throw studioOptionsError(
      "`agents` must be an array of agents, made with agent({ … }), or of { agent, name, run }.",
    );
  }
  checkFields("`run` of an agent of studio", run, commonRunFields);
  return { agent, name, run };
};

const studioOptionsError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `studio: ${what}`);
