import * as Effect from "effect/Effect";
import type { McpServices } from "../../../runtime/mcp-services.ts";
import { isStdioServer, type McpServerState } from "../../../types/mcp.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { appsOf } from "../apps/app-tools.ts";
import { definedFields } from "../read-query.ts";
import type { FinishSignInBody, Server, ServerList, SignInUrl } from "../schemas/servers.ts";
import type { StudioServices } from "../studio-services.ts";

/** Undefined without servers, so that the MCP module is not loaded. */
export const openedMcpServices = async ({ shared }: StudioServices): Promise<McpServices | undefined> =>
  shared.mcp.list().length === 0 ? undefined : shared.mcp.open();

export const toServer = (
  studio: StudioServices,
  state: McpServerState,
  services: McpServices | undefined,
): Server => {
  const { id, status, reason, transport, era, protocol, serverInfo, tools, quarantined, losses = [] } = state;
  const configured = services?.configured.find((each) => each.id === id);
  return {
    id,
    status,
    ...definedFields({ reason, era, protocol, serverInfo, connectedAt: state.connectedAt }),
    transport,
    tools,
    quarantined,
    losses,
    reconnects: state.reconnects,
    apps: appsOf(studio, state),
    canSignIn: configured !== undefined && !isStdioServer(configured) && configured.oauth !== false,
    log: studio.logs.of(id),
  };
};

export const listServers = async ({ studio }: ApiContext): Promise<ServerList> => {
  const services = await openedMcpServices(studio);
  return {
    items: studio.shared.mcp.list().map((state) => toServer(studio, state, services)),
    ...(services === undefined || services.lock === false ? {} : { lock: services.lock }),
  };
};

export const findServer = async (
  studio: StudioServices,
  id: string,
): Promise<{ readonly state: McpServerState; readonly services: McpServices }> => {
  const state = studio.shared.mcp.list().find((each) => each.id === id);
  const services = await openedMcpServices(studio);
  if (state === undefined || services === undefined) throw notFoundError(`MCP server "${id}"`);
  return { state, services };
};

export const showServer = async ({ studio, params }: ApiContext): Promise<Server> => {
  const { state, services } = await findServer(studio, params.name!);
  return toServer(studio, state, services);
};

export const reconnectServer = async (context: ApiContext): Promise<Server> => {
  const { studio, person, params } = context;
  const { state, services } = await findServer(studio, params.name!);
  const configured = services.configured.find(({ id }) => id === state.id);
  if (state.status === "disconnected" && configured !== undefined)
    await services.connect(configured).catch(() => {});
  else await Effect.runPromise(Effect.exit(services.servers.refresh(state.id)));
  const { status, reason } = (await findServer(studio, state.id)).state;
  const result = reason === undefined ? status : `${status}, ${reason}`;
  studio.logs.note(state.id, `${person.name} reconnected the server: ${result}`);
  return showServer(context);
};

/** The browser returns to a redirect URL, which `finishServerSignIn` takes. */
export const beginServerSignIn = async ({ studio, person, params }: ApiContext): Promise<SignInUrl> => {
  const { services } = await findServer(studio, params.name!);
  return { url: (await services.beginSignIn(params.name!, person.principal ?? studio.haft.principal)).url };
};

export const finishServerSignIn = async (context: ApiContext<FinishSignInBody>): Promise<Server> => {
  const { studio, person, params, body } = context;
  const { services } = await findServer(studio, params.name!);
  await services.finishSignIn(params.name!, body.redirectUrl, person.principal ?? studio.haft.principal);
  return showServer(context);
};
