import { commonRunFields, type RunOptions } from "../../agent/run-options.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Agent } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { FleetOverview } from "../../types/fleet.ts";
import type { Principal } from "../../types/principal.ts";
import { isOrigin } from "./apps/is-origin.ts";

/** An agent that people chat with, and how its runs go: the library that answers its specs, a model. */
export interface StudioAgent {
  /** What it is called here, where the same agent is there with two libraries. Unless set: the agent's own name. */
  readonly name?: string;
  readonly agent: Agent;
  /** Unless set: as the agent and the runtime say. */
  readonly run?: Pick<RunOptions, (typeof commonRunFields)[number]>;
}

/** What the Studio shows besides the runtime, and who may look. */
export interface StudioOptions {
  /** The path under which it is mounted. Unless set: the root of its host. */
  readonly base?: string;
  /** Who is asking, from a cookie or a token of yours; their roles open `studio:read`, `studio:approve` and `studio:run`. Unless set: who has a link. */
  readonly principal?: (request: Request) => Principal | undefined | Promise<Principal | undefined>;
  /** Host headers that are answered besides the names of loopback, such as `studio.example`. Unless set: none. */
  readonly hosts?: readonly string[];
  /** Agents that people may chat with, and whose runs may go on here. Unless set: none. */
  readonly agents?: readonly (Agent | StudioAgent)[];
  /** As whom tools may be tried out besides the runtime's own caller. Unless set: nobody else. */
  readonly principals?: readonly Principal[];
  /** Folders with results of `haft ab --json`. Unless set: none. */
  readonly experiments?: readonly string[];
  /** Looks at the fleet, as `haft fleet` does. Unless set: there is none. */
  readonly fleet?: () => Promise<FleetOverview>;
  /** The origin at which you serve `appFrame`, in which pages of MCP Apps are shown. Unless set: none is shown. */
  readonly appOrigin?: string;
  /** The folder of the page's files. Unless set: those of the package. */
  readonly assets?: string;
  /** Hears what the page is not told, under the reference that it is told instead. Unless set: a warning of the process. */
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

/** An agent of `StudioOptions` with its defaults filled in. */
export type StudioAgentOptions = Required<StudioAgent>;

type OptionalStudioOption = "principal" | "fleet" | "appOrigin" | "assets";

export type ParsedStudioOptions = Required<Omit<StudioOptions, OptionalStudioOption | "agents">> &
  Pick<StudioOptions, OptionalStudioOption> & { readonly agents: readonly StudioAgentOptions[] };

export const readStudioOptions = (options: StudioOptions): ParsedStudioOptions => {
  checkFields("studio", options, studioFields);
  const { base = "", hosts = [], agents = [], principals = [], experiments = [] } = options;
  const { principal, fleet, appOrigin, assets, onError = warnOfError } = options;
  if (!/^(\/[A-Za-z0-9\-._~]+)*\/?$/.test(base))
    throw studioOptionsError("`base` is a path, such as /studio.");
  if (appOrigin !== undefined && !isOrigin(appOrigin)) {
    throw studioOptionsError("`appOrigin` is an origin, such as http://127.0.0.1:7335.");
  }
  for (const [name, value] of Object.entries({ principal, fleet, onError })) {
    if (value !== undefined && typeof value !== "function")
      throw studioOptionsError(`\`${name}\` is a function.`);
  }
  for (const [name, value] of Object.entries({ hosts, agents, principals, experiments })) {
    if (!Array.isArray(value)) throw studioOptionsError(`\`${name}\` is a list.`);
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
      "`agents` is a list of agents, or of { agent, name, run }; make one with agent({ … }).",
    );
  }
  checkFields("`run` of an agent of studio", run, commonRunFields);
  return { agent, name, run };
};

const warnOfError = (error: unknown, reference: string): void => {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A request of the Studio failed (${reference}): ${words}`, "HaftWarning");
};

const studioOptionsError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `studio: ${what}`);
