import { compileOnFirstUse } from "../../schema/compile-schema.ts";
import type { JsonSchema } from "../../words/json.ts";
import { Misuse } from "../misuse.ts";

const text: JsonSchema = { type: "string", minLength: 1 };
const texts: JsonSchema = { type: "array", items: text };
const count: JsonSchema = { type: "integer", minimum: 1 };

const exactly = (properties: Readonly<Record<string, JsonSchema>>, ...required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const principal: JsonSchema = { type: "object", properties: { agent: text }, required: ["agent"] };
const token: JsonSchema = { anyOf: [text, exactly({ secret: text }, "secret")] };

const tokens = exactly(
  { tokens: { type: "array", items: exactly({ token, principal }, "token", "principal"), minItems: 1 } },
  "tokens",
);

const jwt = exactly(
  {
    issuer: text,
    audience: text,
    jwks: { anyOf: [text, { type: "object", required: ["keys"] }] },
    algorithms: texts,
    scopes: { type: "object", additionalProperties: texts },
    requiredScopes: texts,
    claims: exactly({ agent: texts, user: { type: ["string", "null"] }, tenant: text, roles: text }),
    clockToleranceSec: { type: "number", minimum: 0 },
    allow: texts,
    jwksRefreshSec: { type: "number", minimum: 1, maximum: 86_400 },
  },
  "issuer",
  "audience",
  "jwks",
  "scopes",
);

const http = exactly({
  host: text,
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  path: { type: "string", pattern: "^/" },
  allowedHosts: texts,
  allowedOrigins: texts,
  maxBodyBytes: count,
  perMinute: count,
  burst: count,
  maxConcurrent: count,
  drainMs: count,
});

const search = exactly({
  always: texts,
  above: { type: "integer", minimum: 0 },
  maxCandidates: { type: "integer", minimum: 1, maximum: 20 },
  minScore: { type: "number", minimum: 0, maximum: 1 },
});

const check = compileOnFirstUse(
  exactly({
    name: text,
    title: text,
    instructions: text,
    approvals: { enum: ["client", "elsewhere"] },
    taint: { enum: ["others", "all", "off"] },
    tasks: { enum: ["finish", "pass"] },
    search: { anyOf: [{ type: "boolean" }, search] },
    http,
    auth: { type: "object" },
  }),
);
const checkTokens = compileOnFirstUse(tokens);
const checkJwt = compileOnFirstUse(exactly({ jwt }, "jwt"));

/** A misspelled `auth` would be none at all, so whatever means nothing is refused before anything is served. */
export const checkServe = (serve: unknown, file: string): void => {
  const auth = (serve as { readonly auth?: object } | null)?.auth;
  const wrong = [
    ...issuesOf(check(serve), ""),
    ...(auth === undefined ? [] : issuesOf(("jwt" in auth ? checkJwt : checkTokens)(auth), "/auth")),
  ];
  if (wrong.length > 0) throw new Misuse(`${file}: "serve" cannot be used: ${wrong.join("; ")}`);
};

const issuesOf = (result: ReturnType<typeof check>, under: string): readonly string[] =>
  result.ok ? [] : result.issues.map(({ message }) => (under === "" ? message : `in ${under}: ${message}`));
