import { credentials } from "../../credentials/credentials.ts";
import { readServer } from "../../mcp/client/read-server.ts";
import { pagesOf } from "../../mcp/lock/pages-of.ts";
import type { Listing } from "../../mcp/lock/review/review.ts";
import { readConfig } from "../../runtime/config.ts";
import { revealer } from "../../runtime/revealer.ts";
import type { NamedServer, SessionServices } from "../../words/mcp.ts";
import { configuredServers } from "../mcp/configured.ts";
import { readConfiguration, withServersFile } from "../read-configuration.ts";
import type { ListServers } from "./list-servers.ts";

/** All at once; whoever cannot be asked says why, and holds up nobody. */
export const askServers: ListServers = async (given, terminal, gate) => {
  const config = given.config === undefined ? {} : { config: given.config };
  const configured = await configuredServers(config);
  const servers = configured
    .filter(({ server }) => server.disabled !== true)
    .map(({ id, server }) => readServer(id, server));
  const { serve: _, openapi: _documents, ...options } = await readConfiguration(given.config);
  const { credentials: places = {}, config: settings } = await withServersFile(options, given.config);
  const { mcp } = readConfig(typeof settings === "string" ? undefined : settings);
  const services: SessionServices = {
    reveal: revealer(credentials(places)),
    principal: options.principal,
    connectTimeoutMs: mcp.connectionTimeoutMs,
    callTimeoutMs: mcp.requestTimeoutMs,
    signal: terminal.signal,
  };
  return Promise.all(
    servers.map(async (server): Promise<Listing> => {
      const refusal = await gate(server);
      return refusal === undefined ? list(server, services) : { server, tools: [], trouble: refusal };
    }),
  );
};

const list = async (server: NamedServer, services: SessionServices): Promise<Listing> => {
  try {
    const { openSession } = await import("../../mcp/client/open-session.ts");
    const session = await openSession(server, services);
    try {
      const { tools } = await session.listTools(services.signal);
      const { serverInfo } = session;
      const pages = await pagesOf(session, tools, services.signal);
      return { server, tools, pages, ...(serverInfo === undefined ? {} : { serverInfo }) };
    } finally {
      await session.close();
    }
  } catch (error) {
    return { server, tools: [], trouble: error instanceof Error ? error.message : String(error) };
  }
};
