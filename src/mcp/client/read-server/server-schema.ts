import type { JsonSchema } from "../../../words/json.ts";
import { risks } from "../../../words/spec.ts";

const text = { type: "string", minLength: 1 };
const flag = { type: "boolean" };
const millis = { type: "integer", minimum: 1, maximum: 86_400_000 };
const patterns = { type: "array", items: text };
const maybeSecret = {
  anyOf: [
    { type: "string" },
    { type: "object", properties: { secret: text }, required: ["secret"], additionalProperties: false },
  ],
};
const secrets = { type: "object", additionalProperties: maybeSecret };

const sandboxes = ["bubblewrap"];

const any: Readonly<Record<string, JsonSchema>> = {
  era: { enum: ["auto", "legacy", "modern"] },
  names: { enum: ["prefixed", "bare"] },
  risk: { enum: risks },
  terms: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: {
        risk: { enum: risks },
        requiresApproval: flag,
        trustAnnotations: flag,
        trusted: flag,
        timeoutMs: millis,
      },
      additionalProperties: false,
    },
  },
  include: patterns,
  exclude: patterns,
  offerResources: flag,
  connectTimeoutMs: millis,
  callTimeoutMs: millis,
  maxMessageBytes: { type: "integer", minimum: 1_024, maximum: 1_073_741_824 },
  refreshMs: { ...millis, minimum: 1_000 },
  sharing: { enum: ["shared", "principal"] },
  disabled: flag,
};

/** What both kinds may say, and what only one of them may. */
export const stdioSchema: JsonSchema = {
  type: "object",
  properties: {
    ...any,
    transport: { enum: ["stdio"] },
    command: text,
    args: { type: "array", items: { type: "string" } },
    env: secrets,
    inheritEnv: patterns,
    cwd: text,
    sandbox: {
      anyOf: [
        { enum: sandboxes },
        {
          type: "object",
          properties: { engine: { enum: sandboxes }, read: patterns, write: patterns, network: flag },
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
    ...any,
    transport: { enum: ["http", "sse", "websocket"] },
    url: text,
    headers: secrets,
    oauth: {
      anyOf: [
        flag,
        {
          type: "object",
          properties: {
            clientId: text,
            clientSecret: maybeSecret,
            clientMetadataUrl: text,
            scope: { type: "string" },
            redirectUrl: text,
            grant: { enum: ["authorization_code", "client_credentials"] },
            issuer: text,
          },
          additionalProperties: false,
        },
      ],
    },
  },
  required: ["url"],
  additionalProperties: false,
};
