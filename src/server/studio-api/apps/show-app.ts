import { createHash } from "node:crypto";
import { isObject } from "../../json/is-object.ts";
import { uiMimeType } from "../../mcp/client/to-tool/ui-of.ts";
import { ToolError } from "../../words/errors.ts";
import { ApiRefusal, invalid } from "../refused.ts";
import { actingAs } from "../rights/principals.ts";
import { findServer } from "../servers/show-servers.ts";
import type { Visit } from "../visit.ts";
import type { AppPage, AppResource } from "../words/apps.ts";
import { checkApp } from "./app-tools.ts";
import { type HeardCall, heardCall } from "./heard-call.ts";
import { readReach } from "./reach.ts";

/** The longest page that is shown, in characters. */
const longestPage = 4 * 1_048_576;

/** The page of an App, read through the tool that reads resources, so that it is authorized, held to the lock and on record. */
export const showApp = async (visit: Visit): Promise<AppPage> => {
  const { world, params, request } = visit;
  const uri = params.uri!;
  if (!/^ui:/i.test(uri)) throw invalid("Pages of apps have addresses that begin with ui:.");
  const { state } = await findServer(world, params.name!);
  checkApp(world, state, uri);
  const { contents } = resourceOf(await readAs(visit, uri));
  const content = contents.find((each) => each.uri === uri) ?? contents[0];
  const { mimeType, _meta } = isObject(content) ? content : {};
  const html = isObject(content) ? textOf(content) : undefined;
  if (html === undefined || typeof mimeType !== "string" || !isPageType(mimeType)) {
    throw unshown("not_a_page", `The resource ${uri} is no page of an App: those are ${uiMimeType}.`);
  }
  if (html.length > longestPage) {
    throw unshown("too_large", `The page ${uri} has more than ${longestPage} characters, and is not shown.`);
  }
  const ui = isObject(_meta) && isObject(_meta.ui) ? _meta.ui : {};
  return {
    server: state.id,
    uri,
    html,
    hash: createHash("sha256").update(html).digest("hex"),
    ...readReach(ui.csp, ownHosts(visit, request)),
  };
};

const unshown = (code: string, message: string): ApiRefusal => new ApiRefusal(422, code, message);

/** Parameters of a type may be spaced and quoted as one likes. */
const isPageType = (type: string): boolean => type.toLowerCase().replaceAll(/[\s"]/g, "") === uiMimeType;

const textOf = ({ text, blob }: Readonly<Record<string, unknown>>): string | undefined => {
  if (typeof text === "string") return text;
  return typeof blob === "string" ? Buffer.from(blob, "base64").toString("utf8") : undefined;
};

/** A host may be known by several names, and none of them is for Apps. */
const ownHosts = ({ world }: Visit, request: Request): readonly string[] => {
  const { hosts, appOrigin } = world.options;
  const asked = request.headers.get("host") ?? new URL(request.url).host;
  return [...hosts, asked, ...(appOrigin === undefined ? [] : [new URL(appOrigin).host])].map(
    (host) => new URL(`http://${host}`).hostname,
  );
};

/** Reads a resource of a server down the corridor, as who is signed in. */
export const readAs = async (visit: Visit, uri: string, by = ""): Promise<HeardCall> => {
  const { world, person, params, request } = visit;
  const { services, state } = await findServer(world, params.name!);
  const reader = services.servers.companions(state.id).readResource;
  if (reader === undefined) {
    const message = `The server ${state.id} has no resources that can be read now.`;
    throw new ApiRefusal(409, "not_readable", message);
  }
  return heardCall(
    world,
    reader,
    { uri },
    {
      principal: actingAs(visit, undefined),
      correlationId: `studio ${person.name}${by}`,
      signal: request.signal,
    },
  );
};

/** What was read, or why it was not, in the words that a model would be told. */
export const resourceOf = ({ reply, resource }: HeardCall): AppResource => {
  if (!reply.ok) throw new ApiRefusal(422, reply.failure?.code ?? "pending", reply.text);
  try {
    const read: unknown = resource();
    if (isObject(read) && Array.isArray(read.contents)) return { contents: read.contents.filter(isObject) };
  } catch (error) {
    if (ToolError.is(error)) throw error;
  }
  throw new ApiRefusal(422, "mcp_protocol", "The server answered with no resource.");
};
