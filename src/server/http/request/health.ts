import type { IncomingMessage } from "node:http";
import type { KeySetProblem } from "../auth/host-auth.ts";
import type { HostHealth, HostProblem } from "../host-options.ts";
import { isHttpRejection } from "../http-rejection.ts";
import { isLoopback } from "../loopback.ts";
import { readCallerCredentials } from "../request-guard.ts";
import type { HostServices } from "./host-services.ts";

interface HealthResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `/healthz` reports liveness, `/readyz` readiness. Only local and authenticated callers see details. */
export const answerHealth = async (
  services: HostServices,
  request: IncomingMessage,
  route: "healthz" | "readyz",
  isUnlistedHost: boolean,
): Promise<HealthResponse> => {
  if (services.isDraining()) return { status: 503, body: { status: "draining" } };
  if (route === "healthz") return { status: 200, body: { status: "ok" } };
  const { status, servers, problems } = await collectHealth(services);
  const parts = problems.map(({ part }) => ({ part }));
  const showsNames =
    !isUnlistedHost && (isDirectLocalRequest(request) || (await isAuthenticated(services, request)));
  const details = showsNames ? { problems, servers } : parts.length === 0 ? {} : { problems: parts };
  // Tools of other servers work.
  const word = { ok: "ready", degraded: "degraded", failing: "not_ready" }[status];
  return { status: status === "failing" ? 503 : 200, body: { status: word, ...details } };
};

const collectHealth = async ({ options, keysProblem }: HostServices): Promise<Required<HostHealth>> => {
  const found = (await options.health?.()) ?? { status: "ok", servers: [] };
  const keys = keysProblem();
  return {
    status: keys === undefined ? found.status : withKeysProblem(found.status, keys),
    servers: found.servers.map(({ id, status }) => ({ id, status })),
    problems: [...(keys === undefined ? [] : [keysHostProblem(keys)]), ...(found.problems ?? [])],
  };
};

/** Calls work until the last key set expires. */
const withKeysProblem = (
  status: HostHealth["status"],
  { holdsUntil }: KeySetProblem,
): HostHealth["status"] => (holdsUntil === undefined || status === "failing" ? "failing" : "degraded");

const keysHostProblem = ({ message, holdsUntil }: KeySetProblem): HostProblem => {
  if (holdsUntil === undefined) return { part: "jwks", message };
  const until = new Date(holdsUntil).toISOString();
  return {
    part: "jwks",
    message: `${message} The last set holds until ${until}; after that every caller gets 503.`,
  };
};

const isAuthenticated = async ({ guard }: HostServices, request: IncomingMessage): Promise<boolean> =>
  request.headers.authorization !== undefined &&
  !isHttpRejection(await guard.caller(readCallerCredentials(request)));

/** Excludes requests through a local proxy. */
const isDirectLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  !Object.keys(headers).some((name) => proxyHeaderPattern.test(name));

const proxyHeaderPattern =
  /^(?:via|forwarded|x-(?:original-)?forwarded(?:-.+)?|x-real-ip|x-(?:original|envoy)-.+|.+-(?:client|connecting)-?ip(?:v6)?)$/;
