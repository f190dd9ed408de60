import { ConfigurationError } from "../../types/errors.ts";
import type { HostOptions } from "./host-options.ts";

export interface HostSettings {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: ReadonlySet<string>;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly maxConcurrent: number;
  readonly drainMs: number;
}

const numberSettings = {
  port: { usual: 0, least: 0, most: 65_535 },
  maxBodyBytes: { usual: 4 * 1024 * 1024, least: 1, most: 1024 ** 3 },
  bodyTimeoutMs: { usual: 15_000, least: 1, most: 3_600_000 },
  maxConcurrent: { usual: 512, least: 1, most: 1_000_000 },
  drainMs: { usual: 10_000, least: 0, most: 3_600_000 },
} as const;

const settingError = (where: string, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/${where} ${what}`);

const readNumberSetting = (options: HostOptions, name: keyof typeof numberSettings): number => {
  const { usual, least, most } = numberSettings[name];
  const value = options[name] ?? usual;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw settingError(name, `must be a whole number from ${least} to ${most}.`);
};

const reservedPath = /^\/(healthz|readyz|\.well-known(\/.*)?)?$/;

const readPath = (path: string): string => {
  if (!/^(\/[A-Za-z0-9\-._~]+)+$/.test(path) || reservedPath.test(path))
    throw settingError(
      "path",
      'must be a plain path of its own, such as "/mcp"; the host answers "/healthz" itself.',
    );
  return path;
};

const readAllowedHost = (entry: string, index: number): string => {
  if (/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(entry)) return entry.toLowerCase();
  throw settingError(
    `allowedHosts/${index}`,
    'must be a Host header as clients send it, such as "mcp.example.com" or "mcp.example.com:8443"; there are no wildcards.',
  );
};

const readAllowedOrigin = (entry: string, index: number): string => {
  if (/^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry) return entry;
  throw settingError(
    `allowedOrigins/${index}`,
    'must be an origin as browsers send it, such as "https://app.example.com", without a path; there are no wildcards.',
  );
};

export const readHostSettings = (options: HostOptions): HostSettings =>
  Object.freeze({
    host: (options.host ?? "127.0.0.1").replace(/^\[|\]$/g, ""),
    path: readPath(options.path ?? "/mcp"),
    allowedHosts: (options.allowedHosts ?? []).map(readAllowedHost),
    allowedOrigins: new Set((options.allowedOrigins ?? []).map(readAllowedOrigin)),
    port: readNumberSetting(options, "port"),
    maxBodyBytes: readNumberSetting(options, "maxBodyBytes"),
    bodyTimeoutMs: readNumberSetting(options, "bodyTimeoutMs"),
    maxConcurrent: readNumberSetting(options, "maxConcurrent"),
    drainMs: readNumberSetting(options, "drainMs"),
  });
