import {
  Server,
  type ServerCapabilities,
  type ServerOptions,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json/is-object.ts";
import { uiExtension } from "../mcp/client/to-tool/ui-of.ts";
import type { Principal } from "../words/principal.ts";
import { tasksExtension } from "./call/client-capabilities.ts";
import { cancelTask, getTask } from "./call/task-methods.ts";
import type { ClientConnection, HoldPlace } from "./client-connection.ts";
import type { GatewayState } from "./gateway-state.ts";
import { forgetLevel } from "./lists/log-levels.ts";
import { answer } from "./methods.ts";
import { tell } from "./news.ts";
import { loadedTools } from "./search/loaded-tools.ts";
import type { Served } from "./served.ts";

const tools = Object.freeze({ listChanged: true });
const extensions = Object.freeze({ [tasksExtension]: {} });

const own: ServerCapabilities = Object.freeze({ tools, extensions });

/** Servers behind ours come and go while a connection lasts, so all is said that they may have: a list may be empty. */
const passedOn: ServerCapabilities = Object.freeze({
  ...own,
  extensions: Object.freeze({ ...extensions, [uiExtension]: {} }),
  prompts: Object.freeze({ listChanged: true }),
  resources: Object.freeze({ listChanged: true, subscribe: true }),
  completions: Object.freeze({}),
  logging: Object.freeze({}),
});

/** Nothing here is held against a schema by the SDK: the corridor does that. */
const noValidator: ServerOptions["jsonSchemaValidator"] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const debouncedNotificationMethods = ["tools", "prompts", "resources"].map(
  (kind) => `notifications/${kind}/list_changed`,
);

const optionsOf = ({ instructions, passesOn }: Served): ServerOptions => ({
  capabilities: passesOn === false ? own : passedOn,
  jsonSchemaValidator: noValidator,
  debouncedNotificationMethods,
  ...(instructions === undefined ? {} : { instructions }),
});

const anyParams: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "haft", validate: (value) => ({ value: value as JsonObject }) },
};

/** A server of the SDK before what is served, for one connection. */
export const connectionFor = (
  gateway: GatewayState,
  principal: Principal,
  conversation?: string,
  hold?: HoldPlace,
): ClientConnection => {
  const server = new Server(gateway.served.info, optionsOf(gateway.served));
  const connection: ClientConnection = {
    gateway,
    server,
    principal,
    conversation,
    logLevel: undefined,
    followed: new Map(),
    loaded:
      conversation === undefined
        ? undefined
        : loadedTools(() => tell(connection, { kind: "tools_list_changed" })),
    running: 0,
    hold,
    isClosed: false,
  };
  // One entry for all methods: registering each would cost every request of the new era more than answering it.
  server.removeRequestHandler("logging/setLevel");
  server.fallbackRequestHandler = (request, context) => answer(connection, request, context);
  // The SDK knows these names from an older revision, and takes them only by registration.
  server.setRequestHandler("tasks/get", { params: anyParams }, (params, context) =>
    answer(connection, { method: "tasks/get", params }, context, getTask),
  );
  server.setRequestHandler("tasks/cancel", { params: anyParams }, (params, context) =>
    answer(connection, { method: "tasks/cancel", params }, context, cancelTask),
  );
  server.onclose = () => close(connection);
  return connection;
};

const close = (connection: ClientConnection): void => {
  connection.isClosed = true;
  for (const { leave } of connection.followed.values()) leave();
  connection.followed.clear();
  forgetLevel(connection);
};
