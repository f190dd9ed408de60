import { afterEach, beforeEach } from "vitest";
import {
  type McpAuthorizationOptions,
  type McpAuthorizations,
  mcpAuthorization,
} from "../../src/mcp/client/auth/authorization.ts";
import { memoryMcpTokens } from "../../src/mcp/client/auth/token-store.ts";
import type { McpOAuth } from "../../src/words/mcp.ts";
import type { Principal } from "../../src/words/principal.ts";
import { type McpOAuthWorld, mcpOAuthWorld } from "./mcp-oauth-world.ts";

export const ada: Principal = { agent: "helper", user: "ada" };
export const bob: Principal = { agent: "helper", user: "bob" };

interface Called {
  readonly status: number;
  readonly body: { readonly user?: string; readonly scope?: string };
}

interface Call {
  readonly principal?: Principal | "house";
  readonly oauth?: McpOAuth;
  readonly id?: string;
}

export interface McpOAuthScene {
  readonly world: () => McpOAuthWorld;
  /** Authorizations with a person at the browser and a clock that the test moves. */
  readonly open: (options?: Partial<McpAuthorizationOptions>) => McpAuthorizations;
  readonly named: (call?: Call) => { readonly id: string; readonly url: string; readonly oauth: McpOAuth };
  /** One request, as the transports of the SDK make it. */
  readonly call: (house: McpAuthorizations, call?: Call) => Promise<Called>;
  readonly pass: (ms: number) => void;
}

const principalOf = ({ principal = ada }: Call): Principal | undefined =>
  principal === "house" ? undefined : principal;

export const mcpOAuthScene = (): McpOAuthScene => {
  let world: McpOAuthWorld;
  let opened: McpAuthorizations[] = [];
  let now = 0;
  beforeEach(async () => {
    world = await mcpOAuthWorld();
    now = 1_000_000;
  });
  afterEach(async () => {
    for (const one of opened) one.close();
    opened = [];
    await world.close();
  });

  const named: McpOAuthScene["named"] = ({ oauth = {}, id = "files" } = {}) => ({
    id,
    url: world.url,
    oauth,
  });

  return {
    world: () => world,
    named,
    pass: (ms) => {
      now += ms;
    },
    open: (options = {}) => {
      const made = mcpAuthorization({
        store: memoryMcpTokens(),
        onSignIn: (_server, url) => world.visit(url),
        now: () => now,
        ...options,
      });
      opened.push(made);
      return made;
    },
    call: async (house, asked = {}) => {
      const authorization = house.authorize(named(asked), principalOf(asked));
      if (authorization === undefined) throw new Error("there is no authorization");
      const send = authorization.fetch(fetch);
      const once = async () => {
        const token = await authorization.token();
        const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
        return send(world.url, { method: "POST", body: "{}", ...(headers === undefined ? {} : { headers }) });
      };
      let response = await once();
      if (response.status === 401) {
        await authorization.onUnauthorized({ response, serverUrl: new URL(world.url), fetchFn: fetch });
        response = await once();
      }
      return { status: response.status, body: (await response.json()) as Called["body"] };
    },
  };
};
