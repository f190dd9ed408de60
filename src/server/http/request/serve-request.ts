import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { isStanding } from "../../gateway/http/standing-response.ts";
import type { Identified } from "../auth/host-auth.ts";
import { pathOf } from "../checks/place.ts";
import type { Proof } from "../gate.ts";
import { callerKey } from "../limits/caller-key.ts";
import { type HttpRefusal, isRefusal, refusal } from "../refusal.ts";
import { lightRequest } from "../wire/light-request.ts";
import { isGone, readBody, refuseLength } from "../wire/read-body.ts";
import { toResponse } from "../wire/refuse.ts";
import { toRequest } from "../wire/to-request.ts";
import { writeResponse } from "../wire/write-response.ts";
import { type Entry, enter, holdAll } from "./enter.ts";
import { type HostServices, nobody, refuseCrowd, takePlace } from "./host-services.ts";

/** A request whose caller is known, and its answer. */
export interface Visitor extends Identified {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly proof: Proof;
}

const forbidden: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

/** Hands a request on, body and all, and its answer back. A client that leaves aborts it. */
export const serve = async (
  services: HostServices,
  place: "mcp" | "routes",
  visitor: Visitor,
): Promise<HttpRefusal | undefined> => {
  const { request, response, principal } = visitor;
  const isMcp = place === "mcp";
  const gone = new AbortController();
  const asked = isMcp ? lightRequest(request, gone.signal) : undefined;
  const entry = enter(services, visitor, asked);
  if (isRefusal(entry)) return entry;
  response.once("close", () => {
    for (const { leave } of entry.places) leave();
    if (!response.writableFinished) gone.abort(new DOMException("The client went away.", "AbortError"));
  });

  // A request of the web cannot have them.
  if (asked === undefined && forbidden.has(request.method!)) {
    return refusal(405, "method_not_allowed", `${request.method} is not answered here.`);
  }
  const isPost = request.method === "POST";
  const content = isMcp && isPost ? refuseContent(request.headers) : undefined;
  const early = content ?? refuseLength(request, services.settings.maxBodyBytes);
  if (early !== undefined) return early;
  let body: Buffer | undefined;
  if (hasBody(request)) {
    if (request.headers.expect !== undefined) response.writeContinue();
    const read = await readBody(request, services.settings);
    if (isGone(read)) return undefined;
    if (!Buffer.isBuffer(read)) return read;
    body = read;
  }

  const late = entry.refuseBody(body);
  if (late !== undefined) return late;
  const read = body === undefined ? {} : { body };
  const answered =
    asked === undefined
      ? services.app!(...routed(services, visitor, body, gone.signal))
      : services.options.mcp.fetch(asked, {
          ...{ principal, ...read },
          hold: holdAll(entry.places),
          admitMore: admitMore(services, visitor, entry),
        });
  const result = await answered.catch((error: unknown) => {
    // Whatever an aborted call ends with, nobody is there to be told.
    if (!gone.signal.aborted) throw error;
    return undefined;
  });
  if (result === undefined) return undefined;
  if (response.destroyed) {
    await result.body?.cancel();
    return undefined;
  }
  if (isStream(result) && (request.method === "GET" || isStanding(result))) {
    const full = stand(services, visitor, entry);
    if (full !== undefined) {
      await result.body?.cancel();
      return full;
    }
    // Without a token there is none to end with: whoever answers there ends the stream by itself.
    if (visitor.principal !== nobody) endWithToken(services, visitor);
  }
  await writeResponse(result, response);
  return undefined;
};

/** A path that is open is shown the cookie by which it knows its callers; what else a caller showed stays here. */
const routed = (
  { options }: HostServices,
  { request, principal }: Visitor,
  body: Buffer | undefined,
  signal: AbortSignal,
): Parameters<NonNullable<HostServices["app"]>> => {
  const isOpen = options.isOpen?.(pathOf(request.url!)) === true;
  return [toRequest(request, body, signal, isOpen), principal === nobody ? undefined : principal];
};

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** A request that stays open gives its place among the calls to others, and takes one among those that stay. */
const stand = (
  services: HostServices,
  { principal, response }: Visitor,
  { kind, places }: Entry,
): HttpRefusal | undefined => {
  if (kind === "standing") return undefined;
  const refused = refuseCrowd(services, principal, "standing");
  if (refused !== undefined) return refused;
  response.once("close", services.flights.begin(callerKey(principal), "standing").leave);
  for (const { leave } of places) leave();
  return undefined;
};

/** The messages of one body besides the first. All of them are taken, or none. */
const admitMore =
  (services: HostServices, { principal }: Visitor, { kind, places }: Entry) =>
  (count: number): Response | undefined => {
    for (let taken = 0; taken < count; taken++) {
      const place = takePlace(services, principal, { kind });
      if (isRefusal(place)) return toResponse(place);
      places.push(place);
    }
    return undefined;
  };

/** A stream that nobody asks through anything more would else be heard long after its token. */
const endWithToken = (services: HostServices, { response, ...caller }: Visitor): void => {
  const leave = services.standing.watch({
    ...caller,
    end: ({ message }) => {
      if (!response.headersSent || response.writableEnded) return void response.destroy();
      // A comment, which no client takes for a message. It says to whoever looks why the stream ends.
      response.end(`: ${message}\n\n`);
    },
  });
  response.once("close", leave);
};

/** Messages are JSON as it is: nothing is unpacked, so nothing grows on the way in. */
const refuseContent = (headers: IncomingHttpHeaders): HttpRefusal | undefined => {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    return refusal(415, "unsupported_encoding", "Send the body without a content-encoding.");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase() === "application/json"
    ? undefined
    : refusal(
        415,
        "unsupported_media_type",
        "Send a JSON body with the header content-type: application/json.",
      );
};
