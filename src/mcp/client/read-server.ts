import { copyJson } from "../../base/json/copy-json.ts";
import { freezeJson, type JsonObject, toPointer } from "../../base/json/json-value.ts";
import { compileOnFirstUse } from "../../base/schema/compile-schema.ts";
import { nearest } from "../../base/text/nearest.ts";
import { compilePattern } from "../../policy/right.ts";
import { checkNamespace } from "../../registry/toolbox.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { Issue, JsonSchema } from "../../types/json.ts";
import { argumentRoles } from "../../types/lineage.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import { risks } from "../../types/tool.ts";
import { sanitizeUntrustedText } from "./transport/sanitize-foreign-text.ts";

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
        roles: { type: "object", additionalProperties: { enum: argumentRoles } },
        key: { type: "string", pattern: "^(/([^~/]|~[01])*)+$" },
        timeoutMs: millisecondsSchema,
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

const stdioSchema: JsonSchema = {
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

const remoteSchema: JsonSchema = {
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

const stdioCompiler = compileOnFirstUse(stdioSchema);
const remoteCompiler = compileOnFirstUse(remoteSchema);

const serverIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
/** Errors name every invalid field but show no values. */
export const readServer = (id: string, config: unknown): NamedMcpServer => {
  checkId(id);
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw serverConfigError(id, [issueAt("", 'must be an object with a "command" or a "url"')]);
  }
  const copy = copyJson(config);
  if (!copy.ok) throw serverConfigError(id, [issueAt(copy.problem.pointer, copy.problem.message)]);
  const { fields, issues } = normalizeFields(id, copy.value as JsonObject);
  const isCommand = "command" in fields;
  if (isCommand === "url" in fields) {
    issues.push(...misspelledFieldIssues(fields));
    const both = isCommand ? "has both a" : "needs a";
    issues.push(issueAt("", `${both} "command" (a child process) ${isCommand ? "and" : "or"} a "url"`));
    throw serverConfigError(id, issues);
  }
  const verdict = (isCommand ? stdioCompiler : remoteCompiler)(fields);
  if (!verdict.ok) issues.push(...verdict.issues.map(maskIssueValues));
  issues.push(...patternIssues(fields), ...(isCommand ? environmentIssues(fields) : addressIssues(fields)));
  if (issues.length > 0) throw serverConfigError(id, issues);
  return freezeJson({ ...fields, id }) as unknown as NamedMcpServer;
};

const issueAt = (pointer: string, what: string): Issue => {
  const where = pointer === "" ? "it" : sanitizeUntrustedText(pointer);
  return { pointer, message: `${where} ${what}` };
};

const atPointer = <A>(field: string, at: number, value: A): [string, A] => [toPointer([field, at]), value];

const patternIssues = (fields: JsonObject): readonly Issue[] => {
  const named: [string, string][] = [];
  for (const field of ["include", "exclude"]) {
    const list = fields[field];
    if (Array.isArray(list)) named.push(...list.map((each, at) => atPointer<string>(field, at, each)));
  }
  for (const pattern of Object.keys((fields.terms as object | undefined) ?? {})) {
    named.push([toPointer(["terms", pattern]), pattern]);
  }
  return named.flatMap(([pointer, pattern]) => {
    try {
      compilePattern(pattern);
      return pattern.includes("/")
        ? [issueAt(pointer, "matches names without the server's id, so it must not contain a slash")]
        : [];
    } catch (error) {
      return ToolError.is(error) ? [issueAt(pointer, error.failure.message)] : [];
    }
  });
};

const variablePattern = /^[^=\s\0]+$/;

const environmentIssues = ({ command, args, env, inheritEnv }: JsonObject): readonly Issue[] => {
  const issues: Issue[] = [];
  const texts: [string, unknown][] = [["/command", command]];
  if (Array.isArray(args)) texts.push(...args.map((each, at) => atPointer("args", at, each)));
  for (const [pointer, each] of texts) {
    if (typeof each === "string" && each.includes("\0"))
      issues.push(issueAt(pointer, "holds a NUL character"));
  }
  for (const name of Object.keys((env as object | undefined) ?? {})) {
    if (!variablePattern.test(name))
      issues.push(issueAt(toPointer(["env", name]), "is not the name of a variable"));
  }
  if (Array.isArray(inheritEnv)) {
    inheritEnv.forEach((name, at) => {
      if (!variablePattern.test(String(name)))
        issues.push(
          issueAt(
            toPointer(["inheritEnv", at]),
            "is not the name of a variable; list the variables to pass on by name",
          ),
        );
    });
  }
  return issues;
};

const schemesByTransport: Readonly<Record<string, readonly string[]>> = {
  http: ["https:", "http:"],
  sse: ["https:", "http:"],
  websocket: ["wss:", "ws:"],
};

const addressIssues = ({ url, transport }: JsonObject): readonly Issue[] => {
  if (typeof url !== "string") return [];
  const allowed =
    typeof transport === "string" && Object.hasOwn(schemesByTransport, transport)
      ? (schemesByTransport[transport] as readonly string[])
      : [...new Set(Object.values(schemesByTransport).flat())];
  if (!URL.canParse(url)) return [issueAt("/url", "must be an absolute URL, such as https://host/mcp")];
  const { protocol, username, password } = new URL(url);
  if (!allowed.includes(protocol)) return [issueAt("/url", `must begin with ${allowed.join(" or ")}`)];
  if (username !== "" || password !== "")
    return [issueAt("/url", "contains a user name or a password; use a secret in /headers instead")];
  return [];
};

const knownFields = [stdioSchema, remoteSchema].flatMap(({ properties }) => Object.keys(Object(properties)));

/** Without a command or a url no schema applies, so the fields are checked by name only. */
const misspelledFieldIssues = (fields: JsonObject): readonly Issue[] =>
  Object.keys(fields)
    .filter((field) => !knownFields.includes(field))
    .map((field) => {
      const meant = nearest(field, knownFields);
      const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
      return issueAt("", `has an unknown field "${field}"${hint}`);
    });

const checkId = (id: unknown): void => {
  if (id === undefined) {
    throw new ConfigurationError(
      "invalid_config",
      "An MCP server needs an `id`, the first part of its tools' names.",
    );
  }
  const shown = JSON.stringify(sanitizeUntrustedText(id, 80));
  if (typeof id !== "string" || !serverIdPattern.test(id)) {
    throw new ConfigurationError(
      "invalid_config",
      `The server id ${shown} is refused: it is the first part of its tools' names, so it must have 1 to 32 characters of A-Z, a-z, 0-9, "_" and "-", and begin with a letter or a digit.`,
    );
  }
  try {
    checkNamespace(id);
  } catch (cause) {
    const why = ToolError.is(cause) ? cause.failure.message : String(cause);
    throw new ConfigurationError("invalid_config", `The server id ${shown} is refused: ${why}`, { cause });
  }
};

const transportAliases: Readonly<Record<string, string>> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  streamable_http: "http",
  sse: "sse",
  ws: "websocket",
  websocket: "websocket",
};

const normalizeFields = (
  id: string,
  given: JsonObject,
): { readonly fields: JsonObject; readonly issues: Issue[] } => {
  const { type, id: ownId, ...fields } = given;
  const issues: Issue[] = [];
  if (ownId !== undefined && ownId !== id)
    issues.push(issueAt("/id", "must be the key of this server in the configuration"));
  if (type === undefined) return { fields, issues };
  const meant =
    typeof type === "string" && Object.hasOwn(transportAliases, type) ? transportAliases[type] : undefined;
  if (meant === undefined) {
    issues.push(issueAt("/type", `must be one of ${Object.keys(transportAliases).join(", ")}`));
  } else if (fields.transport !== undefined && fields.transport !== meant) {
    issues.push(issueAt("/type", "contradicts /transport; remove one of them"));
  }
  return { fields: meant === undefined ? fields : { ...fields, transport: meant }, issues };
};

/** A command line or a header may contain secrets. */
const maskIssueValues = ({ pointer, message, expected, received }: Issue): Issue => {
  const shown =
    received === undefined ? message : message.replaceAll(received, received.split(" ", 1)[0] ?? "");
  return { pointer, message: shown, ...(expected === undefined ? {} : { expected }) };
};

const serverConfigError = (id: string, issues: readonly Issue[]): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The MCP server "${id}" is refused: ${issues.map(({ message }) => message.replace(/\.$/, "")).join("; ")}.`,
    { issues },
  );
