import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../words/principal.ts";
import { allowReading, answerPreflight, isPreflight } from "../checks/cors.ts";
import { pathOf } from "../checks/place.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { refuse } from "../wire/refuse.ts";
import { answerHealth, isLocal } from "./health.ts";
import { broken, type House, refuseCrowd, refuseDraining } from "./house.ts";
import { serve } from "./serve.ts";

const writeJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? "" : text);
};

/** Probes call an address that nobody listed, so a strange host is told the status, and no more. */
const health = async (
  house: House,
  request: IncomingMessage,
  place: "healthz" | "readyz",
  isStrange: boolean,
): Promise<{ readonly status: number; readonly body: unknown }> => {
  const isNamed = request.headers.authorization !== undefined;
  const showsNames =
    !isStrange && (isLocal(request) || (isNamed && !isRefusal(await house.gate.principal(request))));
  return answerHealth({ place, showsNames, isDraining: house.isDraining(), health: house.options.health });
};

/** Notes the caller as soon as it is known, for the access line. */
type Note = (principal: Principal) => void;

const answer = async (
  house: House,
  request: IncomingMessage,
  response: ServerResponse,
  note: Note,
): Promise<Refusal | undefined> => {
  const strange = house.gate.origin(request);
  const place = house.gate.place(request);
  if (place === "healthz" || place === "readyz") {
    const { status, body } = await health(house, request, place, strange !== undefined);
    writeJson(response, status, body);
    return undefined;
  }
  if (strange !== undefined) return strange;
  const { origin } = request.headers;
  if (origin !== undefined && house.settings.allowedOrigins.has(origin)) {
    allowReading(response, origin);
    if (isPreflight(request)) {
      answerPreflight(request, response);
      return undefined;
    }
  }
  if (typeof place !== "string") return place;
  if (place === "metadata") {
    writeJson(response, 200, house.metadata);
    return undefined;
  }
  const draining = refuseDraining(house);
  if (draining !== undefined) return draining;
  const principal = await house.gate.principal(request);
  if (isRefusal(principal)) return principal;
  note(principal);
  if (response.destroyed) return undefined;
  return refuseCrowd(house, principal) ?? serve(house, place, { request, response, principal });
};

/** One request from its first check to its last byte. Never rejects. */
export const visit = async (
  house: House,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { onAccess } = house.options;
  const began = performance.now();
  let agent: string | undefined;
  if (onAccess !== undefined) {
    response.once("close", () =>
      onAccess({
        method: request.method!,
        path: pathOf(request.url ?? "").slice(0, 200),
        // As nginx has it: the client closed before there was an answer.
        status: response.headersSent ? response.statusCode : 499,
        ms: Math.round((performance.now() - began) * 1000) / 1000,
        agent,
      }),
    );
  }
  try {
    const refused = await answer(house, request, response, (principal) => {
      agent = principal.agent;
    });
    if (refused !== undefined && !response.destroyed) refuse(request, response, refused);
  } catch (error) {
    house.onError(error);
    if (response.headersSent) response.destroy();
    else refuse(request, response, broken());
  }
};
