import * as Effect from "effect/Effect";
import { isObject } from "../../json/is-object.ts";
import type { McpServices } from "../../runtime/mcp.ts";
import { isStdio, type McpServerState } from "../../words/mcp.ts";
import { given } from "../calls/call-line.ts";
import { ApiRefusal, invalid, notFound } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { AppPage, Server, ServerList, SignInAddress } from "../words/servers.ts";
import type { StudioWorld } from "../world.ts";

/** Loaded only where there are servers: a runtime without any needs none of it. */
export const mcpOf = async ({ shared }: StudioWorld): Promise<McpServices | undefined> =>
  shared.mcp.list().length === 0 ? undefined : shared.mcp.open();

export const toServer = (
  { logs }: StudioWorld,
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
    canSignIn: configured !== undefined && !isStdio(configured) && configured.oauth !== false,
    log: logs.of(id),
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

/** The page of an app, read through the tool that reads resources, so that it is authorized and on record. */
export const showApp = async ({ world, person, params }: Visit): Promise<AppPage> => {
  const { haft, shared } = world;
  const { services, state } = await findServer(world, params.name!);
  const uri = params.uri!;
  if (!/^ui:/i.test(uri)) throw invalid("Pages of apps have addresses that begin with ui:.");
  const reader = services.servers.companions(state.id).readResource;
  const principal = person.principal ?? haft.principal;
  if (reader === undefined || principal === undefined) {
    throw new ApiRefusal(
      409,
      "not_readable",
      `The server ${state.id} has no resources that can be read now.`,
    );
  }
  const call = { id: shared.tools.newId("call"), tool: reader, input: { uri } };
  const [reply] = await haft.as(principal).turn([call], { correlationId: `studio ${person.name}` });
  if (reply?.ok !== true) throw new ApiRefusal(422, reply?.failure?.code ?? "failed", reply?.text ?? "");
  const contents = isObject(reply.value) && Array.isArray(reply.value.contents) ? reply.value.contents : [];
  const content: unknown = contents[0];
  const { mimeType, text, _meta } = isObject(content) ? content : {};
  const ui = isObject(_meta) && isObject(_meta.ui) ? _meta.ui : undefined;
  return {
    server: state.id,
    uri,
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(typeof text === "string" ? { html: text } : {}),
    ...given({ ui }),
  };
};
