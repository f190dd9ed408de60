import { compileOnFirstUse } from "../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../types/json.ts";
import { CommandUsageError } from "../command.ts";

const textSchema: JsonSchema = { type: "string", minLength: 1 };
const textListSchema: JsonSchema = { type: "array", items: textSchema };
const countSchema: JsonSchema = { type: "integer", minimum: 1 };

const exactObject = (
  properties: Readonly<Record<string, JsonSchema>>,
  ...required: string[]
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const principalSchema: JsonSchema = {
  type: "object",
  properties: { agent: textSchema },
  required: ["agent"],
};
const tokenSchema: JsonSchema = { anyOf: [textSchema, exactObject({ secret: textSchema }, "secret")] };

const tokensSchema = exactObject(
  {
    tokens: {
      type: "array",
      items: exactObject({ token: tokenSchema, principal: principalSchema }, "token", "principal"),
      minItems: 1,
    },
  },
  "tokens",
);

const jwtSchema = exactObject(
  {
    issuer: textSchema,
    audience: textSchema,
    jwks: { anyOf: [textSchema, { type: "object", required: ["keys"] }] },
    algorithms: textListSchema,
    scopes: { type: "object", additionalProperties: textListSchema },
    requiredScopes: textListSchema,
    claims: exactObject({
      agent: textListSchema,
      user: { type: ["string", "null"] },
      tenant: textSchema,
      roles: textSchema,
    }),
    clockToleranceSec: { type: "number", minimum: 0 },
    allow: textListSchema,
    jwksRefreshSec: { type: "number", minimum: 1, maximum: 86_400 },
  },
  "issuer",
  "audience",
  "jwks",
  "scopes",
);

const httpSchema = exactObject({
  host: textSchema,
  port: { type: "integer", minimum: 0, maximum: 65_535 },
  path: { type: "string", pattern: "^/" },
  allowedHosts: textListSchema,
  allowedOrigins: textListSchema,
  maxBodyBytes: countSchema,
  perMinute: countSchema,
  burst: countSchema,
  maxConcurrent: countSchema,
  drainMs: countSchema,
});

const searchSchema = exactObject({
  always: textListSchema,
  above: { type: "integer", minimum: 0 },
  maxCandidates: { type: "integer", minimum: 1, maximum: 20 },
  minScore: { type: "number", minimum: 0, maximum: 1 },
});

const checkOptions = compileOnFirstUse(
  exactObject({
    name: textSchema,
    title: textSchema,
    instructions: textSchema,
    approvals: { enum: ["client", "elsewhere"] },
    taint: { enum: ["all", "others", "off"] },
    tasks: { enum: ["finish", "pass"] },
    search: { anyOf: [{ type: "boolean" }, searchSchema] },
    http: httpSchema,
    auth: { type: "object" },
  }),
);
const checkTokens = compileOnFirstUse(tokensSchema);
const checkJwt = compileOnFirstUse(exactObject({ jwt: jwtSchema }, "jwt"));

/** A misspelled `auth` would mean no authentication. */
export const checkServe = (serve: unknown, file: string): void => {
  const auth = (serve as { readonly auth?: object } | null)?.auth;
  const wrong = [
    ...issuesOf(checkOptions(serve), ""),
    ...(auth === undefined ? [] : issuesOf(("jwt" in auth ? checkJwt : checkTokens)(auth), "/auth")),
  ];
  if (wrong.length > 0) throw new CommandUsageError(`${file}: "serve" cannot be used: ${wrong.join("; ")}`);
};

const issuesOf = (result: ReturnType<typeof checkOptions>, under: string): readonly string[] =>
  result.ok ? [] : result.issues.map(({ message }) => (under === "" ? message : `in ${under}: ${message}`));
