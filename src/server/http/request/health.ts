import type { IncomingMessage } from "node:http";
import type { KeysProblem } from "../auth/host-auth.ts";
import { proofOf } from "../gate.ts";
import type { HostHealth, HostProblem } from "../host-options.ts";
import { isLoopback } from "../loopback.ts";
import { isRefusal } from "../refusal.ts";
import type { HostServices } from "./host-services.ts";

interface HealthAnswer {
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
  place: "healthz" | "readyz",
  isStrange: boolean,
): Promise<HealthAnswer> => {
  if (services.isDraining()) return { status: 503, body: { status: "draining" } };
  if (place === "healthz") return { status: 200, body: { status: "ok" } };
  const { status, servers, problems } = await healthOf(services);
  const parts = problems.map(({ part }) => ({ part }));
  const showsNames = !isStrange && (isLocal(request) || (await isKnown(services, request)));
  const details = showsNames ? { problems, servers } : parts.length === 0 ? {} : { problems: parts };
  // Degraded is still ready: the tools of the other servers can be called.
  const word = { ok: "ready", degraded: "degraded", failing: "not_ready" }[status];
  return { status: status === "failing" ? 503 : 200, body: { status: word, ...details } };
};

/** What the host knows itself, and what stands behind it says. */
const healthOf = async ({ options, keysProblem }: HostServices): Promise<Required<HostHealth>> => {
  const found = (await options.health?.()) ?? { status: "ok", servers: [] };
  const keys = keysProblem();
  return {
    status: keys === undefined ? found.status : worse(found.status, keys),
    servers: found.servers.map(({ id, status }) => ({ id, status })),
    problems: [...(keys === undefined ? [] : [toProblem(keys)]), ...(found.problems ?? [])],
  };
};

/** Calls can be made for as long as the last set holds. */
const worse = (status: HostHealth["status"], { holdsUntil }: KeysProblem): HostHealth["status"] =>
  holdsUntil === undefined || status === "failing" ? "failing" : "degraded";

const toProblem = ({ message, holdsUntil }: KeysProblem): HostProblem => {
  if (holdsUntil === undefined) return { part: "jwks", message };
  const until = new Date(holdsUntil).toISOString();
  return {
    part: "jwks",
    message: `${message} The last set holds until ${until}; after that every caller gets 503.`,
  };
};

const isKnown = async ({ gate }: HostServices, request: IncomingMessage): Promise<boolean> =>
  request.headers.authorization !== undefined && !isRefusal(await gate.caller(proofOf(request)));

/** Somebody on this machine who came straight here, not through a proxy that stands on it. */
const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  !Object.keys(headers).some((name) => ofProxies.test(name));

/** Headers by which proxies tell for whom they ask, and by which address. */
const ofProxies =
  /^(?:via|forwarded|x-(?:original-)?forwarded(?:-.+)?|x-real-ip|x-(?:original|envoy)-.+|.+-(?:client|connecting)-?ip(?:v6)?)$/;
