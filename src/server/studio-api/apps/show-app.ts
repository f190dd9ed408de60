import { createHash } from "node:crypto";
import { isObject } from "../../../base/json/json-value.ts";
import { uiMimeType } from "../../../mcp/client/to-tool/tool-link.ts";
import { ToolError } from "../../../types/errors.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import { invalidRequestError } from "../api-error.ts";
import { callerNamed } from "../permissions/principals.ts";
import type { AppPage, AppResource } from "../schemas/apps.ts";
import { findServer } from "../servers/show-servers.ts";
import { parseAppOrigins } from "./app-origins.ts";
import { requireApp } from "./app-tools.ts";
import { callWithServerResult, type ServerResultCall } from "./call-with-server-result.ts";

/** In characters. */
const maxAppPageLength = 4 * 1_048_576;

/** Reads the page through the pipeline, so that it is authorized, checked against the lock and recorded. */
export const showApp = async (context: ApiContext): Promise<AppPage> => {
  const { studio, params, request } = context;
  const uri = params.uri!;
  if (!/^ui:/i.test(uri)) throw invalidRequestError("The URI of an App must start with ui:.");
  const { state } = await findServer(studio, params.name!);
  requireApp(studio, state, uri);
  const { contents } = toAppResource(await readServerResource(context, uri));
  const content = contents.find((each) => each.uri === uri) ?? contents[0];
  const { mimeType, _meta } = isObject(content) ? content : {};
  const html = isObject(content) ? pageTextOf(content) : undefined;
  if (html === undefined || typeof mimeType !== "string" || !isPageType(mimeType)) {
    throw appPageError(
      "not_a_page",
      `The resource ${uri} is not the page of an App. The MIME type must be ${uiMimeType}.`,
    );
  }
  if (html.length > maxAppPageLength) {
    throw appPageError(
      "too_large",
      `The page ${uri} is not shown because it has more than ${maxAppPageLength} characters.`,
    );
  }
  const ui = isObject(_meta) && isObject(_meta.ui) ? _meta.ui : {};
  return {
    server: state.id,
    uri,
    html,
    hash: createHash("sha256").update(html).digest("hex"),
    ...parseAppOrigins(ui.csp, studioHostsOf(context, request)),
  };
};

const appPageError = (code: string, message: string): HttpError => new HttpError(422, code, message);

const isPageType = (type: string): boolean => type.toLowerCase().replaceAll(/[\s"]/g, "") === uiMimeType;

const pageTextOf = ({ text, blob }: Readonly<Record<string, unknown>>): string | undefined => {
  if (typeof text === "string") return text;
  return typeof blob === "string" ? Buffer.from(blob, "base64").toString("utf8") : undefined;
};

/** Apps must not reach these. */
const studioHostsOf = ({ studio }: ApiContext, request: Request): readonly string[] => {
  const { hosts, appOrigin } = studio.options;
  const requestHost = request.headers.get("host") ?? new URL(request.url).host;
  return [...hosts, requestHost, ...(appOrigin === undefined ? [] : [new URL(appOrigin).host])].map(
    (host) => new URL(`http://${host}`).hostname,
  );
};

export const readServerResource = async (
  context: ApiContext,
  uri: string,
  operatorSuffix = "",
): Promise<ServerResultCall> => {
  const { studio, person, params, request } = context;
  const { services, state } = await findServer(studio, params.name!);
  const reader = services.servers.companions(state.id).readResource;
  if (reader === undefined) {
    const message = `The server ${state.id} has no resources, or is not connected.`;
    throw new HttpError(409, "not_readable", message);
  }
  return callWithServerResult(
    studio,
    reader,
    { uri },
    {
      principal: callerNamed(context, undefined),
      operator: `${person.name}${operatorSuffix}`,
      signal: request.signal,
    },
  );
};

export const toAppResource = ({ reply, resource }: ServerResultCall): AppResource => {
  if (!reply.ok) throw new HttpError(422, reply.failure?.code ?? "pending", reply.text);
  try {
    const read: unknown = resource();
    if (isObject(read) && Array.isArray(read.contents)) return { contents: read.contents.filter(isObject) };
  } catch (error) {
    if (ToolError.is(error)) throw error;
  }
  throw new HttpError(422, "mcp_protocol", "The server did not return a resource.");
};
