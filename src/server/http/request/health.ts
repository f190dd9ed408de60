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

/**
 * `/healthz` says that the process lives, `/readyz` whether calls can be made and else what is wrong. Probes call an
 * address that nobody listed, so strangers are told what kind of thing is wrong, and no more.
 */
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
  // Degraded is still ready: the tools of the other servers can be called.
  const word = { ok: "ready", degraded: "degraded", failing: "not_ready" }[status];
  return { status: status === "failing" ? 503 : 200, body: { status: word, ...details } };
};

/** What the host knows itself, and what stands behind it says. */
const collectHealth = async ({ options, keysProblem }: HostServices): Promise<Required<HostHealth>> => {
  const found = (await options.health?.()) ?? { status: "ok", servers: [] };
  const keys = keysProblem();
  return {
    status: keys === undefined ? found.status : withKeysProblem(found.status, keys),
    servers: found.servers.map(({ id, status }) => ({ id, status })),
    problems: [...(keys === undefined ? [] : [keysHostProblem(keys)]), ...(found.problems ?? [])],
  };
};

/** Calls can be made for as long as the last set holds. */
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

const isAuthenticated = async ({ gate }: HostServices, request: IncomingMessage): Promise<boolean> =>
  request.headers.authorization !== undefined &&
  !isHttpRejection(await gate.caller(readCallerCredentials(request)));

/** Somebody on this machine who came straight here, not through a proxy that stands on it. */
const isDirectLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  !Object.keys(headers).some((name) => proxyHeaderPattern.test(name));

/** Headers by which proxies tell for whom they ask, and by which address. */
const proxyHeaderPattern =
  /^(?:via|forwarded|x-(?:original-)?forwarded(?:-.+)?|x-real-ip|x-(?:original|envoy)-.+|.+-(?:client|connecting)-?ip(?:v6)?)$/;
