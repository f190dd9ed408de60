import type {
  InputRequests,
  InputResponses,
  McpCaller,
  McpSession,
  RemoteTool,
} from "../../../src/types/mcp.ts";
import type { Scene } from "./scene.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Accepts a form with its default values. */
const fillIn = (params: unknown): Fields => {
  const schema = isFields(params) && isFields(params.requestedSchema) ? params.requestedSchema : {};
  const fields = isFields(schema.properties) ? Object.entries(schema.properties) : [];
  const content = fields.flatMap(([name, field]) => {
    if (!isFields(field)) return [];
    if (field.default !== undefined) return [[name, field.default]];
    return field.type === "boolean" ? [[name, true]] : [];
  });
  return { action: "accept", content: Object.fromEntries(content) };
};

const caller: McpCaller = {
  capabilities: { elicitation: { form: {} } },
  ask: async (requests: InputRequests): Promise<InputResponses> =>
    Object.fromEntries(Object.entries(requests).map(([key, { params }]) => [key, fillIn(params)])),
};

const call = (session: McpSession, name: string, args: Fields = {}) =>
  session.request({ method: "tools/call", params: { name, arguments: args }, caller });

/** Values of the right type for all required properties. */
const argumentsFor = ({ inputSchema }: RemoteTool): Fields => {
  const samples: Fields = { string: "text", number: 1.5, integer: 2, boolean: true, object: {}, array: [] };
  if (!isFields(inputSchema) || !isFields(inputSchema.properties)) return {};
  const { properties } = inputSchema as { readonly properties: Fields };
  const required = Array.isArray(inputSchema.required) ? (inputSchema.required as string[]) : [];
  return Object.fromEntries(
    required.map((name) => {
      const field = properties[name];
      return [
        name,
        isFields(field) && typeof field.type === "string" ? (samples[field.type] ?? null) : "text",
      ];
    }),
  );
};

const callAll = async (session: McpSession): Promise<void> => {
  const { tools } = await session.listTools();
  for (const tool of tools) await call(session, tool.name, argumentsFor(tool));
};

const readEverything = async (session: McpSession): Promise<void> => {
  await callAll(session);
  const { resources } = await session.request({ method: "resources/list" });
  for (const { uri } of resources as readonly { readonly uri: string }[])
    await session.request({ method: "resources/read", params: { uri } });
  const { prompts } = await session.request({ method: "prompts/list" });
  for (const { name } of prompts as readonly { readonly name: string }[])
    await session.request({ method: "prompts/get", params: { name } });
};

const askedCalls = async (session: McpSession, { context }: Scene): Promise<void> => {
  await session.listTools();
  const calls = context.toolCalls as readonly { readonly name: string; readonly arguments: Fields }[];
  for (const { name, arguments: args } of calls) await call(session, name, args);
};

const echoSchema = async (session: McpSession): Promise<void> => {
  const { tools } = await session.listTools();
  const focal = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  await call(session, "json_schema_echo", { schema: focal?.inputSchema });
};

/** Makes concurrent calls: a request of one call must not reach another. */
const callTogether = async (session: McpSession): Promise<void> => {
  const { tools } = await session.listTools();
  await Promise.all(tools.map(({ name }) => call(session, name)));
};

const twice = async (session: McpSession): Promise<void> => {
  await callAll(session);
  await callAll(session);
};

const listOnly = async (session: McpSession): Promise<void> => {
  await session.listTools();
};

const acts: Readonly<Record<string, (session: McpSession, scene: Scene) => Promise<void>>> = {
  "http-standard-headers": readEverything,
  "http-custom-headers": askedCalls,
  "json-schema-2020-12-preservation": echoSchema,
  "json-schema-ref-no-deref": listOnly,
  "sep-2322-client-request-state": callTogether,
  "auth/authorization-server-migration": twice,
};

/** Performs the scenario; most only need a call of every offered tool. */
export const act = (session: McpSession, scene: Scene): Promise<void> =>
  (acts[scene.name] ?? callAll)(session, scene);
