import * as Effect from "effect/Effect";
import type { McpServices } from "../../runtime/mcp.ts";
import { isStdio, type McpServerState } from "../../words/mcp.ts";
import { appsOf } from "../apps/app-tools.ts";
import { given } from "../calls/call-line.ts";
import { notFound } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { Server, ServerList, SignInAddress } from "../words/servers.ts";
import type { StudioWorld } from "../world.ts";

/** Loaded only where there are servers: a runtime without any needs none of it. */
export const mcpOf = async ({ shared }: StudioWorld): Promise<McpServices | undefined> =>
  shared.mcp.list().length === 0 ? undefined : shared.mcp.open();

export const toServer = (
  world: StudioWorld,
  state: McpServerState,
  services: McpServices | undefined,
): Server => {
  const { id, status, reason, transport, era, protocol, serverInfo, tools, quarantined, losses = [] } = state;
  const configured = services?.configured.find((each) => each.id === id);
  return {
    id,
    status,
    ...given({ reason, era, protocol, calledItself: serverInfo, connectedAt: state.connectedAt }),
    transport,
    tools,
    quarantined,
    losses,
    reconnects: state.reconnects,
    apps: appsOf(world, state),
    canSignIn: configured !== undefined && !isStdio(configured) && configured.oauth !== false,
    log: world.logs.of(id),
  };
};

export const listServers = async ({ world }: Visit): Promise<ServerList> => {
  const services = await mcpOf(world);
  return {
    items: world.shared.mcp.list().map((state) => toServer(world, state, services)),
    ...(services === undefined || services.lock === false ? {} : { lock: services.lock }),
  };
};

export const findServer = async (
  world: StudioWorld,
  id: string,
): Promise<{ readonly state: McpServerState; readonly services: McpServices }> => {
  const state = world.shared.mcp.list().find((each) => each.id === id);
  const services = await mcpOf(world);
  if (state === undefined || services === undefined) throw notFound(`MCP server "${id}"`);
  return { state, services };
};

export const showServer = async ({ world, params }: Visit): Promise<Server> => {
  const { state, services } = await findServer(world, params.name!);
  return toServer(world, state, services);
};

/** Lists its tools again now; one that is away is tried at once. */
export const reconnect = async ({ world, person, params }: Visit): Promise<Server> => {
  const { state, services } = await findServer(world, params.name!);
  const configured = services.configured.find(({ id }) => id === state.id);
  if (state.status === "disconnected" && configured !== undefined)
    await services.connect(configured).catch(() => {});
  else await Effect.runPromise(Effect.exit(services.servers.refresh(state.id)));
  const { status, reason } = (await findServer(world, state.id)).state;
  const words = reason === undefined ? status : `${status}, ${reason}`;
  world.logs.note(state.id, `${person.name} had its tools listed again: ${words}`);
  return showServer({ world, params } as Visit);
};

/** Where the signed-in person gives a right at a server. What comes back goes to `finish`. */
export const beginSignIn = async ({ world, person, params }: Visit): Promise<SignInAddress> => {
  const { services } = await findServer(world, params.name!);
  return { url: (await services.beginSignIn(params.name!, person.principal ?? world.haft.principal)).url };
};

/** The whole address that the browser came back to. */
export const finishSignIn = async (visit: Visit): Promise<Server> => {
  const { world, person, params, body } = visit;
  const { services } = await findServer(world, params.name!);
  await services.finishSignIn(params.name!, String(body.answer), person.principal ?? world.haft.principal);
  return showServer(visit);
};
