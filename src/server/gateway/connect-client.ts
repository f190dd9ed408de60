import {
  Server,
  type ServerCapabilities,
  type ServerOptions,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../base/json/json-value.ts";
import { uiExtension } from "../../mcp/client/to-tool/tool-link.ts";
import type { Principal } from "../../types/principal.ts";
import { tasksExtension } from "./call/client-capabilities.ts";
import { cancelTask, getTask } from "./call/gateway-tasks.ts";
import { type ClientConnection, type HoldSlot, sendServerEvent } from "./client-connection.ts";
import { dispatchMethod } from "./dispatch-method.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import type { GatewayState } from "./gateway-state.ts";
import { clearLogLevel } from "./lists/upstream-lists.ts";
import { createLoadedTools } from "./search/short-list.ts";

const toolsCapability = Object.freeze({ listChanged: true });
const extensionCapabilities = Object.freeze({ [tasksExtension]: {} });

const toolCapabilities: ServerCapabilities = Object.freeze({
  tools: toolsCapability,
  extensions: extensionCapabilities,
});

/** Upstream servers come and go, so all capabilities are declared. */
const upstreamCapabilities: ServerCapabilities = Object.freeze({
  ...toolCapabilities,
  extensions: Object.freeze({ ...extensionCapabilities, [uiExtension]: {} }),
  prompts: Object.freeze({ listChanged: true }),
  resources: Object.freeze({ listChanged: true, subscribe: true }),
  completions: Object.freeze({}),
  logging: Object.freeze({}),
});

/** The pipeline validates. */
const noValidator: ServerOptions["jsonSchemaValidator"] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const debouncedNotificationMethods = ["tools", "prompts", "resources"].map(
  (kind) => `notifications/${kind}/list_changed`,
);

const serverOptionsOf = ({ instructions, passesOn }: GatewayBackend): ServerOptions => ({
  capabilities: passesOn === false ? toolCapabilities : upstreamCapabilities,
  jsonSchemaValidator: noValidator,
  debouncedNotificationMethods,
  ...(instructions === undefined ? {} : { instructions }),
});

const anyParams: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};

export const createClientConnection = (
  gateway: GatewayState,
  principal: Principal,
  conversation?: string,
  hold?: HoldSlot,
): ClientConnection => {
  const server = new Server(gateway.backend.info, serverOptionsOf(gateway.backend));
  const connection: ClientConnection = {
    gateway,
    server,
    principal,
    conversation,
    logLevel: undefined,
    subscriptions: new Map(),
    loaded:
      conversation === undefined
        ? undefined
        : createLoadedTools(() => sendServerEvent(connection, { kind: "tools_list_changed" })),
    running: 0,
    holdSlot: hold,
    isClosed: false,
  };
  // Registering every method would cost more per stateless request than handling it.
  server.removeRequestHandler("logging/setLevel");
  server.fallbackRequestHandler = (request, context) => dispatchMethod(connection, request, context);
  // The SDK reserves these names, so they must be registered.
  server.setRequestHandler("tasks/get", { params: anyParams }, (params, context) =>
    dispatchMethod(connection, { method: "tasks/get", params }, context, getTask),
  );
  server.setRequestHandler("tasks/cancel", { params: anyParams }, (params, context) =>
    dispatchMethod(connection, { method: "tasks/cancel", params }, context, cancelTask),
  );
  server.onclose = () => closeConnection(connection);
  return connection;
};

const closeConnection = (connection: ClientConnection): void => {
  connection.isClosed = true;
  for (const { leave } of connection.subscriptions.values()) leave();
  connection.subscriptions.clear();
  clearLogLevel(connection);
};
