import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError, ToolDefinitionError } from "../../types/errors.ts";
import type { AnyTool } from "../../types/tool.ts";
import { authFor, credentialNames, isSetByAuth } from "./credentials.ts";
import { describeOperation, type OperationOverride } from "./describe-operation.ts";
import { type LossCollector, lossCollector, type OpenApiLoss } from "./loss-collector.ts";
import type { OpenApiParameter, ParsedOperation } from "./operation.ts";
import { type OpenApiSelect, operationSelector } from "./operation-selector.ts";
import { operationTool } from "./operation-tool.ts";
import { type OpenApiOverride, overrideFinder } from "./override-finder.ts";
import { type OpenApiDocument, readDocument } from "./read-document.ts";
import { readOperations } from "./read-operations.ts";
import { chooseMedia } from "./request/read-request-body.ts";
import { documentSchemas, type SchemaDraft } from "./schema/document-schemas.ts";
import { isSecretParameter, type OpenApiAuth } from "./select-auth.ts";
import { sentParameters } from "./sent-parameters.ts";
import { type ServerOptions, serverFinder } from "./server-finder.ts";
import { toolNames } from "./tool-names.ts";

/** Which operations of a document become tools, and what is known beside it. */
export interface OpenApiOptions extends ServerOptions {
  /** Unless set: every operation. */
  readonly select?: OpenApiSelect;
  /** Named credentials by security scheme. Unless set: operations that need one fail when they are called. */
  readonly auth?: OpenApiAuth;
  /** Before every tool's name, such as `pets_`. Unless set: nothing. */
  readonly prefix?: string;
  /** Media types of bodies that are taken before any other. Unless set: JSON, then forms, text and bytes. */
  readonly mediaTypes?: readonly string[];
  /**
   * What is held against an answer. `lax`: its shape, whatever is missing, null, new or longer. `strict`: all that the
   * document says. `none`: nothing. Unless set: `lax`.
   */
  readonly output?: "lax" | "strict" | "none";
  /** More about an operation, or something else than its document says, by a unique `operationId` or method and path. */
  readonly override?: OpenApiOverride;
}

/** Where the requests of one tool go, and what goes along. */
export interface OpenApiRequest {
  readonly tool: string;
  /** Method and path, such as `GET /pets/{id}`. */
  readonly operation: string;
  /** The address that its path is added to. */
  readonly server: string;
  /** Names under `credentials`. */
  readonly credentials: readonly string[];
  /** The document names this server for some operations only, and nobody named it in `authOrigins`: it gets no credential. */
  readonly isElsewhere: boolean;
}

/** The operations of a document as tools. */
export interface OpenApiTools {
  readonly tools: readonly AnyTool[];
  /** For each tool, in the same order. */
  readonly requests: readonly OpenApiRequest[];
  /** All that was not carried over. To read it makes the schemas of all tools, which otherwise are made one by one when first needed. */
  readonly losses: readonly OpenApiLoss[];
}

/**
 * The operations of an OpenAPI document (3.1, 3.0 or Swagger 2.0) as HTTP tools. The document is a parsed value, or its
 * text in JSON or YAML. It is foreign input: nothing it refers to is fetched, and one bad operation keeps no other away.
 */
export const fromOpenApi = async (document: unknown, options: OpenApiOptions = {}): Promise<OpenApiTools> => {
  checkOptions(options);
  const read = await readDocument(document);
  const losses = lossCollector();
  const isSelected = operationSelector(options.select);
  const all = readOperations(read, losses);
  const operations = all.filter(isSelected);
  const made = createTools(read, all, operations, options, losses);
  const tools = made.map(({ tool }) => tool);
  if (operations.length > 0 && tools.length === 0) {
    const [first] = losses.all();
    throw new ConfigurationError(
      "invalid_config",
      `No operation of the OpenAPI document can be a tool. ${first?.operation ?? ""} ${first?.what ?? ""}`,
    );
  }
  return {
    tools: Object.freeze(tools),
    requests: Object.freeze(made.map(({ request }) => Object.freeze(request))),
    get losses() {
      for (const { spec } of tools) {
        spec.input;
        spec.output;
      }
      return losses.all();
    },
  };
};

interface CreatedTool {
  readonly tool: AnyTool;
  readonly request: OpenApiRequest;
}

const createTools = (
  document: OpenApiDocument,
  all: readonly ParsedOperation[],
  selected: readonly ParsedOperation[],
  options: OpenApiOptions,
  losses: LossCollector,
): readonly CreatedTool[] => {
  const nameOf = toolNames(options.prefix ?? "");
  const overrideOf = overrideFinder(all, options.override);
  const serverOf = serverFinder(document, options);
  const input = documentSchemas(document, "input");
  const { output = "lax", auth: credentials = {} } = options;
  const results =
    output === "none" ? undefined : documentSchemas(document, output === "lax" ? "lax-output" : "output");
  return selected.flatMap((given) => {
    const { label, pointer } = given;
    const note = losses.of(label);
    const override = overrideOf(given);
    const name = override.name ?? nameOf(given);
    try {
      const server = serverOf(given);
      if ("problem" in server) throw skippedOperationError(server.problem);
      const secrets = given.parameters.filter((each) => isSecretParameter(document, each, credentials));
      const inPath = secrets.find((each) => each.in === "path");
      if (inPath !== undefined)
        throw skippedOperationError(`\`auth\` names "${inPath.name}", and no secret goes into a path`);
      const auth = authFor({ document, operation: given, secrets, auth: credentials, server }, note);
      const isSecret = (each: OpenApiParameter) => secrets.includes(each) || isSetByAuth(each, auth.auth);
      const operation = { ...given, parameters: sentParameters(given, isSecret, note) };
      const tool = operationTool({
        name,
        about: describeOperation(operation, override, note),
        operation,
        media: chosenMediaOf(operation, override, options),
        server: server.url,
        auth,
        root: document.root,
        input: (): SchemaDraft => input.draft(note, pointer),
        output: results === undefined ? undefined : () => results.draft(note, pointer),
        note,
      });
      const { url, isElsewhere } = server;
      const sent = credentialNames(auth.auth);
      return [
        { tool, request: { tool: name, operation: label, server: url, credentials: sent, isElsewhere } },
      ];
    } catch (error) {
      // Whatever a document says, it keeps no other operation away.
      note(pointer, `Left out: ${(error as Error).message}`);
      return [];
    }
  });
};

const skippedOperationError = (why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `${why}.`);

const chosenMediaOf = (
  { body }: ParsedOperation,
  { mediaType }: OperationOverride,
  { mediaTypes = [] }: OpenApiOptions,
) =>
  body === undefined
    ? undefined
    : chooseMedia(body, mediaType === undefined ? mediaTypes : [mediaType, ...mediaTypes]);

const optionFields = [
  "select",
  "auth",
  "servers",
  "serverVariables",
  "documentUrl",
  "authOrigins",
  "prefix",
  "mediaTypes",
  "output",
  "override",
];

const checkOptions = (options: OpenApiOptions): void => {
  checkFields("The options of fromOpenApi", options, optionFields);
  const { output = "lax", auth = {} } = options;
  const refuse = (why: string) => new ConfigurationError("invalid_config", `fromOpenApi: ${why}.`);
  if (!["lax", "strict", "none"].includes(output)) throw refuse('`output` is "lax", "strict" or "none"');
  for (const [name, given] of Object.entries(auth)) {
    const [field] = Object.keys(given ?? {});
    const isNamed = field === "secret" || field === "credential";
    if (!isNamed || typeof (given as Record<string, unknown>)[field] !== "string")
      throw refuse(
        `\`auth.${name}\` is { secret: "NAME" } or { credential: "NAME" }, by the name under \`credentials\``,
      );
  }
};
