import { refuseHeader } from "../../http/headers.ts";
import { checkFields } from "../../json/check-fields.ts";
import { ConfigurationError, ToolError } from "../../words/errors.ts";
import type { AnyTool } from "../../words/tool.ts";
import { aboutOperation, checkOverride, type OperationOverride } from "./about-operation.ts";
import { collectLosses, type Losses, type NoteLoss, type OpenApiLoss } from "./losses.ts";
import { toolNames } from "./name-tools.ts";
import type { OpenApiOperation, Parameter, ReadOperation } from "./operation.ts";
import { operationTool } from "./operation-tool.ts";
import { type OpenApiDocument, readDocument } from "./read-document.ts";
import { readOperations } from "./read-operations.ts";
import { chooseMedia } from "./request/body.ts";
import { documentSchemas, type SchemaDraft } from "./schema/schemas.ts";
import { chooseAuth, isSecretParameter, type OpenApiAuth, parameterAuth } from "./security.ts";
import { type OpenApiSelect, selector } from "./select.ts";
import { type ServerOptions, serverOf } from "./servers.ts";

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
  /** More about an operation, or something else than its document says, by `operationId` or method and path. */
  readonly override?:
    | Readonly<Record<string, OperationOverride>>
    | ((operation: OpenApiOperation) => OperationOverride | undefined);
}

/** The operations of a document as tools. */
export interface OpenApiTools {
  readonly tools: readonly AnyTool[];
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
  const losses = collectLosses();
  const isSelected = selector(options.select);
  const operations = readOperations(read, losses).filter(isSelected);
  const tools = toolsOf(read, operations, options, losses);
  if (operations.length > 0 && tools.length === 0) {
    const [first] = losses.all();
    throw new ConfigurationError(
      "invalid_config",
      `No operation of the OpenAPI document can be a tool. ${first?.operation ?? ""} ${first?.what ?? ""}`,
    );
  }
  return {
    tools: Object.freeze(tools),
    get losses() {
      for (const { spec } of tools) {
        spec.input;
        spec.output;
      }
      return losses.all();
    },
  };
};

const toolsOf = (
  document: OpenApiDocument,
  operations: readonly ReadOperation[],
  options: OpenApiOptions,
  losses: Losses,
): readonly AnyTool[] => {
  const nameOf = toolNames(options.prefix ?? "");
  const input = documentSchemas(document, "input");
  const { output = "lax" } = options;
  const results =
    output === "none" ? undefined : documentSchemas(document, output === "lax" ? "lax-output" : "output");
  return operations.flatMap((given) => {
    const { label, pointer } = given;
    const note = losses.of(label);
    const override = overrideOf(given, options);
    const name = override.name ?? nameOf(given);
    const server = serverOf(document, given, options);
    if ("problem" in server) {
      note(pointer, `Left out: ${server.problem}.`);
      return [];
    }
    const secrets = given.parameters.filter((each) => isSecretParameter(each, options.auth ?? {}));
    const operation = { ...given, parameters: sentParameters(given, secrets, note) };
    const scheme = chooseAuth(document, operation, options.auth ?? {}, note);
    try {
      return [
        operationTool({
          name,
          about: aboutOperation(operation, override, note),
          operation,
          media: mediaOf(operation, override, options),
          server: server.url,
          auth: parameterAuth(secrets, scheme, options.auth ?? {}, note),
          root: document.root,
          input: (): SchemaDraft => input.draft(note, pointer),
          output: results === undefined ? undefined : () => results.draft(note, pointer),
          note,
        }),
      ];
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      note(pointer, `Left out: ${error.message}`);
      return [];
    }
  });
};

/** Without secrets, without headers that the client sets itself, and without the content type, which is that of the body. */
const sentParameters = (
  { parameters, body }: ReadOperation,
  secrets: readonly unknown[],
  note: NoteLoss,
): readonly Parameter[] =>
  parameters.filter((each) => {
    if (secrets.includes(each)) return false;
    if (each.in !== "header") return true;
    if (body !== undefined && each.name.toLowerCase() === "content-type") return false;
    const reason = refuseHeader(each.name, "");
    if (reason !== undefined) note(each.pointer, `A parameter is left out: ${reason}.`);
    return reason === undefined;
  });

const mediaOf = (
  { body }: ReadOperation,
  { mediaType }: OperationOverride,
  { mediaTypes = [] }: OpenApiOptions,
) =>
  body === undefined
    ? undefined
    : chooseMedia(body, mediaType === undefined ? mediaTypes : [mediaType, ...mediaTypes]);

const overrideOf = (operation: ReadOperation, { override }: OpenApiOptions): OperationOverride => {
  if (override === undefined) return {};
  const { id, label } = operation;
  if (typeof override === "function") return checkOverride(override(operation) ?? {}, label);
  const key = [id, label].find((each) => each !== undefined && Object.hasOwn(override, each));
  return key === undefined ? {} : checkOverride(override[key]!, label);
};

const fields = [
  "select",
  "auth",
  "servers",
  "serverVariables",
  "documentUrl",
  "prefix",
  "mediaTypes",
  "output",
  "override",
];

const checkOptions = (options: OpenApiOptions): void => {
  checkFields("The options of fromOpenApi", options, fields);
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
