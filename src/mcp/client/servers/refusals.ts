import { ConfigurationError, ToolCancelledError, type ToolError } from "../../../words/errors.ts";
import type { McpServerState, NamedServer } from "../../../words/mcp.ts";

export const taken = (id: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `There is an MCP server "${id}" already. Disconnect it first, or give the new one another id.`,
  );

export const unknown = (id: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `There is no MCP server "${id}".`);

export const disabled = ({ id }: NamedServer): ConfigurationError =>
  new ConfigurationError("invalid_config", `The MCP server "${id}" is disabled in the configuration.`);

export const givenUp = (id: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The MCP server "${id}" was disconnected before it was ready.`, {
    ran: false,
  });

/** The answer for a configuration that never became a server. */
export const unusable = ({ id }: NamedServer, { failure }: ToolError): McpServerState =>
  Object.freeze({
    id,
    status: "error",
    reason: failure.message,
    transport: "stdio",
    tools: [],
    quarantined: [],
    reconnects: 0,
  });
