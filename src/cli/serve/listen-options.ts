import type { ServeHttp } from "../../server/gateway/serve-options.ts";
import type { HostRateLimits } from "../../server/http/host-options.ts";

export interface ListenFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

export type ListenOptions = Omit<ServeHttp, "perMinute" | "burst"> & {
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly rate?: HostRateLimits;
};

export const resolveListenOptions = (configured: ServeHttp = {}, flags: ListenFlags): ListenOptions => {
  const { perMinute, burst, ...http } = configured;
  const rate = {
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(burst === undefined ? {} : { burst }),
  };
  return {
    ...http,
    ...(flags.host === undefined ? {} : { host: flags.host }),
    port: flags.port ?? http.port ?? 7333,
    ...(flags.path === undefined ? {} : { path: flags.path }),
    allowedHosts: [...(http.allowedHosts ?? []), ...(flags.allowHosts ?? [])],
    ...(Object.keys(rate).length === 0 ? {} : { rate }),
  };
};
