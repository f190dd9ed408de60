import { credentials } from "../../base/credentials/credentials.ts";
import { readServer } from "../../mcp/client/read-server.ts";
import { readPageHashes } from "../../mcp/lock/read-page-hashes.ts";
import type { ServerListing } from "../../mcp/lock/review/review.ts";
import { readConfig } from "../../runtime/config.ts";
import { secretRevealer } from "../../runtime/secret-revealer.ts";
import type { McpSessionServices, NamedMcpServer } from "../../types/mcp.ts";
import { configuredServers } from "../mcp/configured-servers.ts";
import { readConfiguration, withServersFile } from "../read-configuration.ts";
import { gateOptions } from "../trust/gate-options.ts";
import type { ListServerTools } from "./start-gate.ts";

export const listServerTools: ListServerTools = async (given, terminal, { trust, gate }) => {
  const { file: _lock, ...files } = given;
  const configured = await configuredServers(files, terminal, "run");
  const servers = configured
    .filter(({ server }) => server.disabled !== true)
    .map(({ id, server }) => readServer(id, server));
  const { serve: _, openapi: _documents, ...options } = await readConfiguration(given.config, trust);
  const known = await withServersFile(options, given.config);
  const { credentials: places = {}, config: settings } = await gateOptions(known, trust, "require");
  const { mcp } = readConfig(typeof settings === "string" ? undefined : settings);
  const services: McpSessionServices = {
    reveal: secretRevealer(credentials(places)),
    principal: options.principal,
    connectTimeoutMs: mcp.connectionTimeoutMs,
    callTimeoutMs: mcp.requestTimeoutMs,
    signal: terminal.signal,
  };
  return Promise.all(
    servers.map(async (server): Promise<ServerListing> => {
      const refusal = gate(server, known.credentials);
      return refusal === undefined
        ? listToolsOfServer(server, services)
        : { server, tools: [], trouble: refusal };
    }),
  );
};

const listToolsOfServer = async (
  server: NamedMcpServer,
  services: McpSessionServices,
): Promise<ServerListing> => {
  try {
    const { openSession } = await import("../../mcp/client/open-session.ts");
    const session = await openSession(server, services);
    try {
      const { tools } = await session.listTools(services.signal);
      const { serverInfo } = session;
      const pages = await readPageHashes(session, tools, services.signal);
      return { server, tools, pages, ...(serverInfo === undefined ? {} : { serverInfo }) };
    } finally {
      await session.close();
    }
  } catch (error) {
    return { server, tools: [], trouble: error instanceof Error ? error.message : String(error) };
  }
};
