import type { JsonSchema } from "../../../types/json.ts";
import { risks } from "../../../types/spec.ts";

const nonEmptyString = { type: "string", minLength: 1 };
const booleanSchema = { type: "boolean" };
const millisecondsSchema = { type: "integer", minimum: 1, maximum: 86_400_000 };
const patternListSchema = { type: "array", items: nonEmptyString };
const maybeSecretSchema = {
  anyOf: [
    { type: "string" },
    {
      type: "object",
      properties: { secret: nonEmptyString },
      required: ["secret"],
      additionalProperties: false,
    },
  ],
};
const secretsSchema = { type: "object", additionalProperties: maybeSecretSchema };

const sandboxEngines = ["bubblewrap"];

const commonProperties: Readonly<Record<string, JsonSchema>> = {
  era: { enum: ["auto", "legacy", "modern"] },
  names: { enum: ["prefixed", "bare"] },
  risk: { enum: risks },
  terms: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: {
        risk: { enum: risks },
        requiresApproval: booleanSchema,
        trustAnnotations: booleanSchema,
        trusted: booleanSchema,
        timeoutMs: millisecondsSchema,
        key: { type: "string", pattern: "^(/([^~/]|~[01])*)+$" },
      },
      additionalProperties: false,
    },
  },
  include: patternListSchema,
  exclude: patternListSchema,
  offerResources: booleanSchema,
  connectTimeoutMs: millisecondsSchema,
  callTimeoutMs: millisecondsSchema,
  maxMessageBytes: { type: "integer", minimum: 1_024, maximum: 1_073_741_824 },
  refreshMs: { ...millisecondsSchema, minimum: 1_000 },
  sharing: { enum: ["shared", "principal"] },
  disabled: booleanSchema,
};

export const stdioSchema: JsonSchema = {
  type: "object",
  properties: {
    ...commonProperties,
    transport: { enum: ["stdio"] },
    command: nonEmptyString,
    args: { type: "array", items: { type: "string" } },
    env: secretsSchema,
    inheritEnv: patternListSchema,
    cwd: nonEmptyString,
    sandbox: {
      anyOf: [
        { enum: sandboxEngines },
        {
          type: "object",
          properties: {
            engine: { enum: sandboxEngines },
            read: patternListSchema,
            write: patternListSchema,
            network: booleanSchema,
          },
          required: ["engine"],
          additionalProperties: false,
        },
      ],
    },
  },
  required: ["command"],
  additionalProperties: false,
};

export const remoteSchema: JsonSchema = {
  type: "object",
  properties: {
    ...commonProperties,
    transport: { enum: ["http", "sse", "websocket"] },
    url: nonEmptyString,
    headers: secretsSchema,
    oauth: {
      anyOf: [
        booleanSchema,
        {
          type: "object",
          properties: {
            clientId: nonEmptyString,
            clientSecret: maybeSecretSchema,
            clientMetadataUrl: nonEmptyString,
            scope: { type: "string" },
            redirectUrl: nonEmptyString,
            grant: { enum: ["authorization_code", "client_credentials"] },
            issuer: nonEmptyString,
          },
          additionalProperties: false,
        },
      ],
    },
  },
  required: ["url"],
  additionalProperties: false,
};
