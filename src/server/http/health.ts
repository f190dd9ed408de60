import type { IncomingMessage } from "node:http";
import * as Effect from "effect/Effect";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { McpServerState } from "../../types/mcp.ts";
import { jsonResponse } from "../request/http-error.ts";
import type { KeySetProblem } from "./auth/host-auth.ts";
import type { HostHealth, HostProblem } from "./host-options.ts";
import { authenticateCaller, type HostState, readCallerCredentials } from "./host-state.ts";
import { isLoopback } from "./loopback.ts";

/** `/healthz` reports liveness, `/readyz` readiness. Only local and authenticated callers see details. */
export const healthResponse = async (
  host: HostState,
  request: IncomingMessage,
  route: "healthz" | "readyz",
  isRefused: boolean,
): Promise<Response> => {
  if (host.isDraining) return jsonResponse({ status: "draining" }, 503);
  if (route === "healthz") return jsonResponse({ status: "ok" });
  const { status, servers, problems } = await collectHealth(host);
  const parts = problems.map(({ part }) => ({ part }));
  const showsNames = !isRefused && (isDirectLocalRequest(request) || (await isAuthenticated(host, request)));
  const details = showsNames ? { problems, servers } : parts.length === 0 ? {} : { problems: parts };
  // Tools of other servers work.
  const word = { ok: "ready", degraded: "degraded", failing: "not_ready" }[status];
  return jsonResponse({ status: word, ...details }, status === "failing" ? 503 : 200);
};

const collectHealth = async ({ options, authenticator }: HostState): Promise<Required<HostHealth>> => {
  const found = (await options.health?.()) ?? { status: "ok", servers: [] };
  const keys = authenticator.problem();
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
    message: `${message} The last key set is used until ${until}. After that every caller receives 503.`,
  };
};

const isAuthenticated = (host: HostState, request: IncomingMessage): Promise<boolean> =>
  request.headers.authorization === undefined
    ? Promise.resolve(false)
    : authenticateCaller(host, readCallerCredentials(request)).then(
        () => true,
        () => false,
      );

/** Excludes requests through a local proxy. */
const isDirectLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  !Object.keys(headers).some((name) => proxyHeaderPattern.test(name));

const proxyHeaderPattern =
  /^(?:via|forwarded|x-(?:original-)?forwarded(?:-.+)?|x-real-ip|x-(?:original|envoy)-.+|.+-(?:client|connecting)-?ip(?:v6)?)$/;

const ledgerTimeoutMs = 2_000;
/** The endpoint is public. */
const healthCacheMs = 1_000;

export const createHealthCheck = (
  runtime: () => Haft,
  now: () => number = Date.now,
): (() => Promise<HostHealth>) => {
  let cached: { readonly haft: Haft; readonly at: number; readonly health: Promise<HostHealth> } | undefined;
  return () => {
    const haft = runtime();
    if (cached === undefined || cached.haft !== haft || now() - cached.at > healthCacheMs)
      cached = { haft, at: now(), health: readHealth(haft) };
    return cached.health;
  };
};

const readHealth = async (haft: Haft): Promise<HostHealth> => {
  const states = haft.mcp.list();
  const servers = states.map(({ id, status }) => ({ id, status }));
  const absent = states.filter(({ status }) => status !== "connected").map(serverProblem);
  const ledger = await ledgerProblem(haft);
  const problems = ledger === undefined ? absent : [ledger, ...absent];
  const status = ledger !== undefined ? "failing" : absent.length > 0 ? "degraded" : "ok";
  return { status, servers, problems };
};

const serverProblem = (state: McpServerState): HostProblem => ({
  part: "servers",
  message: serverProblemText(state),
});

/** Reasons can contain text of a server, so they are left out. */
const serverProblemText = ({ id, status, tools, quarantined }: McpServerState): string => {
  if (status !== "degraded")
    return `The server "${id}" is ${status}, so its tools cannot be called. Run haft mcp list to see why.`;
  if (quarantined.length === 0)
    return `The server "${id}" is available, but a part of its data was rejected. See the warnings on standard error.`;
  const held = countText(quarantined.length, "is", "are");
  const rest = tools.length === 0 ? "none can be called" : `the other ${tools.length} can be called`;
  return `Of the tools of the server "${id}", ${held} quarantined, and ${rest}. Run haft mcp list to see why, and haft lock --diff to see what changed.`;
};

const countText = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** The cause may contain addresses or user names. */
const ledgerProblem = async (haft: Haft): Promise<HostProblem | undefined> => {
  const read = sharedRuntimes.get(haft)!.ledger.entries({ limit: 1 });
  const isRead = Effect.match(Effect.timeout(read, ledgerTimeoutMs), {
    onSuccess: () => true,
    onFailure: () => false,
  });
  if (await Effect.runPromise(isRead).catch(() => false)) return undefined;
  const message =
    "The ledger cannot be read, so calls that write are refused. Check that its file or database exists. Run haft log to see the error.";
  return { part: "ledger", message };
};
