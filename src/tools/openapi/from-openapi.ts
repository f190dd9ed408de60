import { hashText } from "../../base/json/canonical-json.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError, ToolDefinitionError } from "../../types/errors.ts";
import type { AnyTool } from "../../types/tool.ts";
import type { HttpAuth } from "../http/request-options.ts";
import { checkToolName, confusableKey } from "../tool-name.ts";
import { describeOperation, type OperationOverride } from "./describe-operation.ts";
import {
  type LossCollector,
  lossCollector,
  type OpenApiLoss,
  type OpenApiOperation,
  type OpenApiOverride,
  type OpenApiParameter,
  type OpenApiSelect,
  operationSelector,
  overrideFinder,
  type ParsedOperation,
  type ReportLoss,
} from "./operation.ts";
import { operationTool } from "./operation-tool.ts";
import { type OpenApiDocument, readDocument } from "./read-document.ts";
import { readOperations } from "./read-operations.ts";
import { sentParameters } from "./request/input-names.ts";
import { chooseMedia } from "./request/read-request-body.ts";
import { documentSchemas, type SchemaDraft } from "./schema/document-schemas.ts";
import {
  isSecretParameter,
  type OpenApiAuth,
  parameterAuth,
  type SelectedAuth,
  selectAuth,
} from "./select-auth.ts";
import { type OpenApiServer, type ServerOptions, serverFinder } from "./server-finder.ts";

/** Options of `fromOpenApi`. */
export interface OpenApiOptions extends ServerOptions {
  /** Which operations become tools; all by default. */
  readonly select?: OpenApiSelect;
  /** Named credentials by security scheme. Operations without their credential fail when called. */
  readonly auth?: OpenApiAuth;
  /** A prefix for tool names, such as `pets_`. */
  readonly prefix?: string;
  /** Preferred media types of bodies. Default: JSON, then forms, text and bytes. */
  readonly mediaTypes?: readonly string[];
  /**
   * How results are checked. `lax` (default): only their structure, so that missing, null, extra and longer
   * values pass. `strict`: the full schema. `none`: nothing.
   */
  readonly output?: "lax" | "strict" | "none";
  /** Overrides for operations, by unique `operationId` or by method and path. */
  readonly override?: OpenApiOverride;
}

/** The target and credentials of one tool's requests. */
export interface OpenApiRequest {
  readonly tool: string;
  /** Method and path, such as `GET /pets/{id}`. */
  readonly operation: string;
  /** The URL that the path is appended to. */
  readonly server: string;
  /** Names under `credentials`. */
  readonly credentials: readonly string[];
  /**
   * True for a server that the document names only for some operations and that is not in `authOrigins`: it
   * gets no credentials.
   */
  readonly isElsewhere: boolean;
}

/** The tools of a document. */
export interface OpenApiTools {
  readonly tools: readonly AnyTool[];
  /** One per tool, in the same order. */
  readonly requests: readonly OpenApiRequest[];
  /**
   * Everything that was not converted. Reading it builds the schemas of all tools, which are otherwise built
   * on first use.
   */
  readonly losses: readonly OpenApiLoss[];
}

/**
 * Creates HTTP tools from an OpenAPI document (3.1, 3.0 or Swagger 2.0), given as a parsed value or as JSON
 * or YAML text. External references are not fetched, and an invalid operation does not affect the others.
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
        throw skippedOperationError(
          `\`auth\` names "${inPath.name}", which is in the path. Secrets cannot be sent in a path`,
        );
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
      note(pointer, `Left out: ${(error as Error).message}`);
      return [];
    }
  });
};

const maxToolNameLength = 64;

/** Names are unique and not confusable. */
export const toolNames = (prefix: string) => {
  const taken = new Set<string>();
  /** Equal ids must not cost quadratic time. */
  const counts = new Map<string, number>();
  return (operation: OpenApiOperation): string => {
    const wanted = shortenName(prefix + baseName(operation.id ?? "", operation));
    const key = confusableKey(wanted);
    let count = counts.get(key) ?? 2;
    let name = wanted;
    while (taken.has(confusableKey(name)) || !isAllowed(name)) {
      const ending = isAllowed(name) ? `_${count++}` : "_operation";
      name = wanted.slice(0, maxToolNameLength - ending.length) + ending;
    }
    counts.set(key, count);
    taken.add(confusableKey(name));
    return name;
  };
};

const baseName = (id: string, { method, path }: OpenApiOperation): string =>
  sanitizeName(id) || sanitizeName(`${method.toLowerCase()}_${path.replace(/[{}]/g, "")}`);

/** Double underscores separate namespaces. */
const sanitizeName = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");

/** A hash keeps long names distinct. */
const shortenName = (name: string): string =>
  name.length <= maxToolNameLength
    ? name
    : `${name.slice(0, maxToolNameLength - 9).replace(/_+$/, "")}_${hashText(name).slice(0, 8)}`;

const isAllowed = (name: string): boolean => {
  try {
    checkToolName(name);
    return true;
  } catch {
    return false;
  }
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
  if (!["lax", "strict", "none"].includes(output)) throw refuse('`output` must be "lax", "strict" or "none"');
  for (const [name, given] of Object.entries(auth)) {
    const [field] = Object.keys(given ?? {});
    const isNamed = field === "secret" || field === "credential";
    if (!isNamed || typeof (given as Record<string, unknown>)[field] !== "string")
      throw refuse(
        `\`auth.${name}\` must be { secret: "NAME" } or { credential: "NAME" } with a name from \`credentials\``,
      );
  }
};

interface AuthContext {
  readonly document: OpenApiDocument;
  readonly operation: ParsedOperation;
  readonly secrets: readonly OpenApiParameter[];
  readonly auth: OpenApiAuth;
  readonly server: OpenApiServer;
}

const ignoreLoss: ReportLoss = () => {};

/** A server that the document names only for some operations gets none. */
const authFor = (context: AuthContext, reportLoss: ReportLoss): SelectedAuth => {
  const { document, operation, secrets, auth, server } = context;
  const choose = (given: OpenApiAuth, tell: ReportLoss): SelectedAuth =>
    parameterAuth(secrets, selectAuth(document, operation, given, tell), given, tell);
  if (!server.isElsewhere || choose(auth, ignoreLoss).auth.length === 0) return choose(auth, reportLoss);
  const { origin } = new URL(server.url);
  const what = `Its server ${origin} is not a server of the document, so no credential is sent there. Add it to \`authOrigins\` or set \`servers\`.`;
  reportLoss(operation.pointer, what);
  const without = choose({}, ignoreLoss);
  return without.missing === undefined ? without : { auth: [], missing: [what] };
};

/** Such a parameter is not filled by the model. */
const isSetByAuth = ({ in: place, name }: OpenApiParameter, auths: readonly HttpAuth[]): boolean =>
  auths.some((auth) => {
    const taken = (auth as unknown as Readonly<Record<string, unknown>>)[place];
    if (typeof taken !== "string") return false;
    return place === "header" ? taken.toLowerCase() === name.toLowerCase() : taken === name;
  });

const credentialNames = (auths: readonly HttpAuth[]): readonly string[] => [
  ...new Set(auths.map((auth) => ("secret" in auth ? auth.secret : auth.credential))),
];
