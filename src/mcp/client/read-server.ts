import { copyJson } from "../../base/json/copy-json.ts";
import { freezeJson } from "../../base/json/freeze-json.ts";
import type { JsonObject } from "../../base/json/is-object.ts";
import { compileOnFirstUse } from "../../base/schema/compile-schema.ts";
import { nearest } from "../../base/text/nearest.ts";
import { checkNamespace } from "../../registry/toolbox.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { Issue } from "../../types/json.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import { addressIssues, environmentIssues, issueAt, patternIssues } from "./read-server/field-issues.ts";
import { remoteSchema, stdioSchema } from "./read-server/server-schema.ts";
import { sanitizeUntrustedText } from "./transport/sanitize-foreign-text.ts";

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
