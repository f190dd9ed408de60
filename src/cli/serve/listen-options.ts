import type { ServeHttp } from "../../gateway/serve-options.ts";
import type { HostRate } from "../../server/host-options.ts";

/** What the command line says of where to listen. */
export interface GivenListening {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

/** Where the gateway listens and its limits, which are what they are from its start to its end. */
export type Listening = Omit<ServeHttp, "perMinute" | "burst"> & {
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly rate?: HostRate;
};

/** What the command line says, then the configuration. */
export const listeningOf = (configured: ServeHttp = {}, given: GivenListening): Listening => {
  const { perMinute, burst, ...http } = configured;
  const rate = {
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(burst === undefined ? {} : { burst }),
  };
  return {
    ...http,
    ...(given.host === undefined ? {} : { host: given.host }),
    port: given.port ?? http.port ?? 7333,
    ...(given.path === undefined ? {} : { path: given.path }),
    allowedHosts: [...(http.allowedHosts ?? []), ...(given.allowHosts ?? [])],
    ...(Object.keys(rate).length === 0 ? {} : { rate }),
  };
};
