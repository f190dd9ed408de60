import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { type LoopbackServer, loopbackServer } from "../loopback-server.ts";

export const clientId = "haft client";
/** Contains characters that a form must encode, so that unencoded values are refused. */
export const clientSecret = "canary-client-secret/+&%=";

interface TokenFamily {
  readonly user: string;
  refreshToken: string;
  revoked: boolean;
}

interface AuthorizationCode {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly user: string;
}

/** The behavior of the server. A test may change it at any time. */
export interface OAuthServerBehavior {
  expiresIn: number | undefined;
  /** A refresh returns a new refresh token, and reuse of the old one revokes all of them. */
  rotates: boolean;
  givesRefreshToken: boolean;
  /** Statuses that the token endpoint returns before it works again. */
  failures: number[];
  /** The number of further requests that the API refuses, whatever their token. */
  apiRefusals: number;
  /** The token endpoint waits for this promise. */
  waitFor: Promise<void>;
  metadata: Record<string, unknown>;
  answer: ((grant: Record<string, unknown>) => Record<string, unknown>) | undefined;
}

export interface OAuthServer extends LoopbackServer {
  readonly behavior: OAuthServerBehavior;
  readonly urls: {
    readonly token: string;
    readonly authorize: string;
    readonly api: string;
    readonly redirect: string;
  };
  /** Forms that the token endpoint received. */
  readonly forms: readonly URLSearchParams[];
  /** All secrets that were ever sent. */
  readonly secrets: ReadonlySet<string>;
  /** Simulates the browser: returns the service's answer to the redirect URL. */
  readonly consent: (
    url: string,
    user: string,
  ) => { readonly state: string; readonly code: string; readonly iss: string };
  /** An earlier consent, as its refresh token. */
  readonly grantTo: (user: string) => string;
  readonly revoke: (user: string) => void;
}

const proofOf = (request: IncomingMessage): string => request.headers.authorization ?? "";

/** An authorization server with PKCE and rotation, and an API that accepts its tokens, on 127.0.0.1. */
export const oauthServer = (): Effect.Effect<OAuthServer, never, Scope> =>
  Effect.gen(function* () {
    const secrets = new Set<string>([clientSecret]);
    const codes = new Map<string, AuthorizationCode>();
    const families = new Map<string, TokenFamily>();
    const accesses = new Map<string, TokenFamily>();
    const forms: URLSearchParams[] = [];
    const behavior: OAuthServerBehavior = {
      expiresIn: 3600,
      rotates: true,
      givesRefreshToken: true,
      failures: [],
      apiRefusals: 0,
      waitFor: Promise.resolve(),
      metadata: {},
      answer: undefined,
    };

    const make = (kind: string): string => {
      const made = `canary-${kind}-${randomBytes(12).toString("hex")}`;
      secrets.add(made);
      return made;
    };

    const familyOf = (user: string): TokenFamily => {
      const family = { user, refreshToken: make("refresh"), revoked: false };
      families.set(family.refreshToken, family);
      return family;
    };

    const grant = (family: TokenFamily, isNew: boolean): Record<string, unknown> => {
      const accessToken = make("access");
      accesses.set(accessToken, family);
      const rotated = !isNew && behavior.rotates;
      if (rotated) {
        family.refreshToken = make("refresh");
        families.set(family.refreshToken, family);
      }
      const body = {
        access_token: accessToken,
        token_type: "Bearer",
        ...(behavior.expiresIn === undefined ? {} : { expires_in: behavior.expiresIn }),
        ...(behavior.givesRefreshToken && (isNew || rotated) ? { refresh_token: family.refreshToken } : {}),
      };
      return behavior.answer?.(body) ?? body;
    };

    const isClient = (form: URLSearchParams, authorization: string): boolean => {
      if (form.get("client_secret") !== null)
        return form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
      if (authorization === "") return form.get("client_id") === "public";
      const [id = "", secret = ""] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
        .toString()
        .split(":");
      const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
      return decoded.get("id") === clientId && decoded.get("secret") === clientSecret;
    };

    const byCode = (form: URLSearchParams): Record<string, unknown> | string => {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const verifier = form.get("code_verifier") ?? "";
      secrets.add(verifier);
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      if (code === undefined || code.challenge !== challenge || code.redirectUri !== form.get("redirect_uri"))
        return "invalid_grant";
      return grant(familyOf(code.user), true);
    };

    const byRefresh = (form: URLSearchParams): Record<string, unknown> | string => {
      const used = form.get("refresh_token") ?? "";
      const family = families.get(used);
      if (family === undefined || family.revoked) return "invalid_grant";
      if (behavior.rotates && family.refreshToken !== used) {
        family.revoked = true;
        return "invalid_grant";
      }
      return grant(family, false);
    };

    const granted = (form: URLSearchParams, authorization: string): Record<string, unknown> | string => {
      if (!isClient(form, authorization)) return "invalid_client";
      switch (form.get("grant_type")) {
        case "client_credentials":
          return {
            ...grant({ user: "the client", refreshToken: "", revoked: false }, true),
            refresh_token: undefined,
          };
        case "authorization_code":
          return byCode(form);
        case "refresh_token":
          return byRefresh(form);
        default:
          return "unsupported_grant_type";
      }
    };

    const json = (response: ServerResponse, status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

    const answerToken = (text: string, authorization: string, response: ServerResponse) => {
      const form = new URLSearchParams(text);
      forms.push(form);
      const failure = behavior.failures.shift();
      // Some servers repeat what they refuse.
      if (failure !== undefined)
        return json(response, failure, { error: "server_error", error_description: text });
      const answer = granted(form, authorization);
      if (typeof answer !== "string") return json(response, 200, answer);
      return json(response, 400, { error: answer, error_description: `refused: ${text} ${authorization}` });
    };

    const answerApi = (request: IncomingMessage, response: ServerResponse) => {
      const family = accesses.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
      if (behavior.apiRefusals > 0 || family === undefined || family.revoked) {
        behavior.apiRefusals -= 1;
        return json(response, 401, { refused: request.headers.authorization });
      }
      return json(response, 200, { user: family.user });
    };

    const server = yield* loopbackServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://loopback");
      if (pathname === "/token") {
        const text = server.seen.at(-1)?.body ?? "";
        void behavior.waitFor.then(() => answerToken(text, proofOf(request), response));
      } else if (pathname.startsWith("/.well-known/oauth-authorization-server")) {
        json(response, 200, behavior.metadata);
      } else if (pathname.startsWith("/api")) answerApi(request, response);
      else if (pathname === "/moved") response.writeHead(307, { location: "/token" }).end();
      else json(response, 404, {});
    });
    const { origin } = server;
    behavior.metadata = {
      issuer: origin,
      token_endpoint: `${origin}/token`,
      authorization_endpoint: `${origin}/authorize`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };

    return {
      ...server,
      behavior,
      forms,
      secrets,
      urls: {
        token: `${origin}/token`,
        authorize: `${origin}/authorize`,
        api: `${origin}/api`,
        redirect: "http://127.0.0.1/callback",
      },
      consent: (url, user) => {
        const asked = new URL(url).searchParams;
        if (asked.get("response_type") !== "code" || asked.get("code_challenge_method") !== "S256")
          throw new Error("a sign-in without PKCE");
        const code = make("code");
        codes.set(code, {
          challenge: asked.get("code_challenge") ?? "",
          redirectUri: asked.get("redirect_uri") ?? "",
          user,
        });
        return { state: asked.get("state") ?? "", code, iss: origin };
      },
      grantTo: (user) => familyOf(user).refreshToken,
      revoke: (user) => {
        for (const family of families.values()) if (family.user === user) family.revoked = true;
      },
    };
  });
