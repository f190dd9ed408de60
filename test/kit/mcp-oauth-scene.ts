import { afterEach, beforeEach } from "vitest";
import { memoryTokenStore } from "../../src/base/credentials/oauth/token-store.ts";
import {
  createMcpAuthorizations,
  type McpAuthorizationOptions,
  type McpAuthorizations,
} from "../../src/mcp/client/auth/mcp-authorization.ts";
import type { McpOAuth } from "../../src/types/mcp.ts";
import type { Principal } from "../../src/types/principal.ts";
import { type McpOAuthService, startMcpOAuthService } from "./mcp-oauth-service.ts";

export const oauthAda: Principal = { agent: "helper", user: "ada" };
export const oauthBob: Principal = { agent: "helper", user: "bob" };

interface SceneCallResult {
  readonly status: number;
  readonly body: { readonly user?: string; readonly scope?: string };
}

interface SceneCall {
  readonly principal?: Principal | "house";
  readonly oauth?: McpOAuth;
  readonly id?: string;
}

export interface McpOAuthScene {
  readonly world: () => McpOAuthService;
  /** Authorizations with a simulated browser and a manual clock. */
  readonly open: (options?: Partial<McpAuthorizationOptions>) => McpAuthorizations;
  readonly named: (call?: SceneCall) => {
    readonly id: string;
    readonly url: string;
    readonly oauth: McpOAuth;
  };
  /** One request, as the transports of the SDK make it. */
  readonly call: (authorizations: McpAuthorizations, call?: SceneCall) => Promise<SceneCallResult>;
  readonly pass: (ms: number) => void;
}

const principalOf = ({ principal = oauthAda }: SceneCall): Principal | undefined =>
  principal === "house" ? undefined : principal;

export const useMcpOAuth = (): McpOAuthScene => {
  let service: McpOAuthService;
  let opened: McpAuthorizations[] = [];
  let now = 0;
  beforeEach(async () => {
    service = await startMcpOAuthService();
    now = 1_000_000;
  });
  afterEach(async () => {
    for (const one of opened) one.close();
    opened = [];
    await service.close();
  });

  const named: McpOAuthScene["named"] = ({ oauth = {}, id = "files" } = {}) => ({
    id,
    url: service.url,
    oauth,
  });

  return {
    world: () => service,
    named,
    pass: (ms) => {
      now += ms;
    },
    open: (options = {}) => {
      const made = createMcpAuthorizations({
        store: memoryTokenStore(),
        reveal: async (value) => String(value),
        known: { add: () => {} },
        onSignIn: (_server, url) => service.visit(url),
        now: () => now,
        ...options,
      });
      opened.push(made);
      return made;
    },
    call: async (authorizations, asked = {}) => {
      const authorization = authorizations.authorize(named(asked), principalOf(asked));
      if (authorization === undefined) throw new Error("no authorization");
      const send = authorization.fetch(fetch);
      const once = async () => {
        const token = await authorization.token();
        const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
        return send(service.url, {
          method: "POST",
          body: "{}",
          ...(headers === undefined ? {} : { headers }),
        });
      };
      let response = await once();
      if (response.status === 401) {
        await authorization.onUnauthorized({ response, serverUrl: new URL(service.url), fetchFn: fetch });
        response = await once();
      }
      return { status: response.status, body: (await response.json()) as SceneCallResult["body"] };
    },
  };
};
