import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import type { Principal } from "../../words/principal.ts";
import { plainResult } from "../call/call-result.ts";
import { converse } from "../call/converse.ts";
import type { LiveCall } from "../call/live-call.ts";
import { redactJson } from "../call/redact-json.ts";
import { requestMeta } from "../call/request-meta.ts";
import { runCall } from "../call/run-call.ts";
import { type ClientConnection, invalid, principalOf, textParam } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import type { ServedServer } from "../served.ts";
import { cached } from "./cached.ts";
import { listOf } from "./upstream-lists.ts";

interface Prompt {
  readonly server: ServedServer;
  /** As its own server calls it. */
  readonly name: string;
  readonly listed: JsonObject;
}

/** By the name under which clients find it: its own, with the server's id before it where two servers have it. */
export const promptsOf = async (
  gateway: GatewayState,
  principal: Principal,
): Promise<ReadonlyMap<string, Prompt>> => {
  const servers = gateway.served.servers(principal).filter(({ getPrompt }) => getPrompt !== undefined);
  const lists = await Promise.allSettled(servers.map(({ session }) => listOf(gateway, session, "prompts")));
  const all: Prompt[] = [];
  const owners = new Map<string, number>();
  for (const [index, list] of lists.entries()) {
    const seen = new Set<string>();
    for (const listed of list.status === "fulfilled" ? list.value : []) {
      const { name } = listed;
      if (typeof name !== "string" || seen.has(name)) continue;
      seen.add(name);
      owners.set(name, (owners.get(name) ?? 0) + 1);
      all.push({ server: servers[index]!, name, listed });
    }
  }
  const found = new Map<string, Prompt>();
  for (const prompt of all) if (owners.get(prompt.name) === 1) found.set(prompt.name, prompt);
  for (const prompt of all) {
    if (owners.get(prompt.name) === 1) continue;
    let name = `${prompt.server.id}__${prompt.name}`;
    while (found.has(name)) name = `${name}_`;
    found.set(name, { ...prompt, listed: { ...prompt.listed, name } });
  }
  return found;
};

export const listPrompts = async (
  connection: ClientConnection,
  _params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const found = await promptsOf(gateway, principalOf(connection, context));
  const prompts = [...found.values()].map(({ listed }) => redactJson(listed, gateway.served.redact));
  return cached(connection, { prompts });
};

export const getPrompt = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const { gateway } = connection;
  const name = textParam(params, "name", "prompts/get");
  // A retry finds its call by the name alone: the list may have changed since.
  const run = async (live: LiveCall): Promise<Result> => {
    const prompt = (await promptsOf(gateway, live.principal)).get(name);
    if (prompt === undefined) throw invalid(`Unknown prompt: ${foreignWords(name)}`);
    const given = params.arguments;
    const input = { name: prompt.name, ...(given === undefined ? {} : { arguments: given }) };
    const reply = await runCall(gateway, live, {
      tool: prompt.server.getPrompt!,
      input,
      ...requestMeta(connection, context),
    });
    return plainResult(reply, live, gateway.served.redact);
  };
  return converse(connection, context, { method: "prompts/get", name, input: params.arguments, run });
};
