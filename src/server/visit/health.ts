import type { IncomingMessage } from "node:http";
import type { HostHealth } from "../host-options.ts";
import { isLoopback } from "../loopback.ts";

/** Somebody on this machine who came straight here, not through a proxy that stands on it. */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  headers["x-forwarded-for"] === undefined &&
  headers.forwarded === undefined &&
  headers.via === undefined;

export interface HealthQuestion {
  readonly place: "healthz" | "readyz";
  readonly isDraining: boolean;
  /** Names of servers tell something of the house. */
  readonly showsNames: boolean;
  readonly health: (() => HostHealth) | undefined;
}

export interface HealthAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Degraded is still alive: the tools of the other servers can be called. */
export const answerHealth = (question: HealthQuestion): HealthAnswer => {
  if (question.isDraining) return { status: 503, body: { status: "draining" } };
  if (question.place === "readyz") return { status: 200, body: { status: "ready" } };
  const found = question.health?.() ?? { status: "ok", servers: [] };
  const servers = question.showsNames
    ? { servers: found.servers.map(({ id, status }) => ({ id, status })) }
    : {};
  return { status: 200, body: { status: found.status, ...servers } };
};
