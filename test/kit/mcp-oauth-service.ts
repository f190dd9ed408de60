import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface IssuedGrant {
  readonly user: string;
  readonly scope: string;
}

/** The behavior of the two servers. A test may change it at any time. */
export interface McpOAuthBehavior {
  /** The user at the browser. */
  user: string;
  pkce: readonly string[] | undefined;
  saysIssuer: boolean;
  /** The `iss` of the redirect: the right one, none, or this text. */
  iss: "right" | "none" | { readonly text: string };
  state: "right" | { readonly text: string };
  declines: boolean;
  lifeSeconds: number | undefined;
  givesRefreshToken: boolean;
  refusesRefresh: boolean;
  /** The only scope that is granted, whatever is requested. */
  grantsOnly: string | undefined;
  /** The scope that a token needs. */
  needs: string;
  /** Merged into the metadata documents. */
  metadata: Record<string, unknown>;
  resource: Record<string, unknown>;
  /**
   * False as in March 2025: the endpoint is its own authorization server, with an issuer below its origin.
   */
  hasResourceMetadata: boolean;
  registers: boolean;
}

export interface McpOAuthService {
  readonly behavior: McpOAuthBehavior;
  /** The protected endpoint. It answers with the user of the token. */
  readonly url: string;
  readonly issuer: string;
  readonly forms: readonly URLSearchParams[];
  readonly registered: readonly Record<string, unknown>[];
  readonly authorized: readonly URLSearchParams[];
  /** Bearer tokens that the endpoint received. */
  readonly shown: readonly string[];
  readonly paths: readonly string[];
  /** Access tokens only; refresh tokens stay valid. */
  readonly revokeAll: () => void;
  /** Simulates the browser: follows the page and consents. */
  readonly visit: (url: URL | string) => Promise<string>;
  readonly close: () => Promise<void>;
}

const listen = (answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(answer);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};

/** An authorization server and an MCP endpoint that trusts it, both on 127.0.0.1. */
export const startMcpOAuthService = async (): Promise<McpOAuthService> => {
  const behavior: McpOAuthBehavior = {
    user: "ada",
    pkce: ["S256"],
    saysIssuer: true,
    iss: "right",
    state: "right",
    declines: false,
    lifeSeconds: 3_600,
    givesRefreshToken: true,
    refusesRefresh: false,
    grantsOnly: undefined,
    needs: "read",
    metadata: {},
    resource: {},
    hasResourceMetadata: true,
    registers: true,
  };
  const codes = new Map<
    string,
    { readonly challenge: string; readonly grant: IssuedGrant; readonly client: string }
  >();
  const access = new Map<string, IssuedGrant>();
  const refreshes = new Map<string, IssuedGrant>();
  const forms: URLSearchParams[] = [];
  const registered: Record<string, unknown>[] = [];
  const authorized: URLSearchParams[] = [];
  const shown: string[] = [];
  const paths: string[] = [];

  const issue = (response: ServerResponse, grant: IssuedGrant): void => {
    const [token, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.set(token, grant);
    if (behavior.givesRefreshToken) refreshes.set(refresh, grant);
    sendJson(response, 200, {
      access_token: token,
      token_type: "Bearer",
      scope: grant.scope,
      ...(behavior.lifeSeconds === undefined ? {} : { expires_in: behavior.lifeSeconds }),
      ...(behavior.givesRefreshToken ? { refresh_token: refresh } : {}),
    });
  };

  const grantToken = (response: ServerResponse, form: URLSearchParams): void => {
    forms.push(form);
    const refuse = (error: string) => sendJson(response, 400, { error, error_description: "canary-words" });
    if (form.get("grant_type") === "client_credentials")
      return void issue(response, { user: "machine", scope: form.get("scope") ?? "" });
    if (form.get("grant_type") === "refresh_token") {
      const grant = refreshes.get(form.get("refresh_token") ?? "");
      refreshes.delete(form.get("refresh_token") ?? "");
      return void (grant === undefined || behavior.refusesRefresh
        ? refuse("invalid_grant")
        : issue(response, grant));
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = code !== undefined && code.challenge === proof && code.client === form.get("client_id");
    if (isRight) issue(response, code.grant);
    else refuse("invalid_grant");
  };

  const sendBack = (response: ServerResponse, asked: URLSearchParams, issuer: string): void => {
    authorized.push(asked);
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set(
      "state",
      behavior.state === "right" ? (asked.get("state") ?? "") : behavior.state.text,
    );
    if (behavior.iss !== "none")
      back.searchParams.set("iss", behavior.iss === "right" ? issuer : behavior.iss.text);
    if (behavior.declines) back.searchParams.set("error", "access_denied");
    else {
      const code = randomUUID();
      const grant = { user: behavior.user, scope: behavior.grantsOnly ?? asked.get("scope") ?? "" };
      codes.set(code, {
        challenge: asked.get("code_challenge") ?? "",
        grant,
        client: asked.get("client_id") ?? "",
      });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const register = (response: ServerResponse, body: string): void => {
    if (!behavior.registers) return void sendJson(response, 403, { error: "access_denied" });
    const client = { ...JSON.parse(body), client_id: `client-${registered.length}` };
    registered.push(client);
    sendJson(response, 201, client);
  };

  /** Serves a request under the issuer through which the server was reached. */
  const serve = async (request: IncomingMessage, response: ServerResponse, issuer: string): Promise<void> => {
    const url = new URL(request.url ?? "/", issuer);
    const { origin, pathname: prefix } = new URL(issuer);
    const path = url.pathname.replace(prefix === "/" ? "" : prefix, "");
    if (url.href.startsWith(`${origin}/.well-known/oauth-authorization-server`))
      return sendJson(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ["code"],
        ...(behavior.pkce === undefined ? {} : { code_challenge_methods_supported: behavior.pkce }),
        ...(behavior.saysIssuer ? { authorization_response_iss_parameter_supported: true } : {}),
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
        ...behavior.metadata,
      });
    if (path === "/authorize") return sendBack(response, url.searchParams, issuer);
    if (path === "/token") return grantToken(response, new URLSearchParams(await bodyOf(request)));
    if (path === "/register") return register(response, await bodyOf(request));
    return sendJson(response, 404, {});
  };

  const service: Server = await listen((request, response) => {
    paths.push(request.url ?? "");
    return serve(request, response, originOf(service));
  });

  const endpoint = await listen(async (request, response) => {
    const origin = originOf(endpoint);
    paths.push(request.url ?? "");
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      if (!behavior.hasResourceMetadata) return sendJson(response, 404, {});
      return sendJson(response, 200, {
        resource: `${origin}/mcp`,
        authorization_servers: [originOf(service)],
        ...behavior.resource,
      });
    }
    if (request.url !== "/mcp")
      return behavior.hasResourceMetadata
        ? sendJson(response, 404, {})
        : serve(request, response, `${origin}/oauth`);
    await bodyOf(request);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token !== undefined) shown.push(token);
    const grant = access.get(token ?? "");
    if (grant === undefined)
      return sendJson(response, 401, {}, { "www-authenticate": `Bearer scope="${behavior.needs}"` });
    const hasAll = behavior.needs.split(" ").every((scope) => grant.scope.split(" ").includes(scope));
    if (!hasAll && grant.user !== "machine")
      return sendJson(
        response,
        403,
        {},
        {
          "www-authenticate": `Bearer error="insufficient_scope", scope="${behavior.needs}"`,
        },
      );
    return sendJson(response, 200, { user: grant.user, scope: grant.scope });
  });

  const stop = (server: Server): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    behavior,
    url: `${originOf(endpoint)}/mcp`,
    issuer: originOf(service),
    forms,
    registered,
    authorized,
    shown,
    paths,
    revokeAll: () => access.clear(),
    visit: async (url) => (await fetch(url)).text(),
    close: async () => {
      await stop(service);
      await stop(endpoint);
    },
  };
};
