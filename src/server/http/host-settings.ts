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
  port: { defaultValue: 0, min: 0, max: 65_535 },
  maxBodyBytes: { defaultValue: 4 * 1024 * 1024, min: 1, max: 1024 ** 3 },
  bodyTimeoutMs: { defaultValue: 15_000, min: 1, max: 3_600_000 },
  maxConcurrent: { defaultValue: 512, min: 1, max: 1_000_000 },
  drainMs: { defaultValue: 10_000, min: 0, max: 3_600_000 },
} as const;

const settingError = (where: string, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/${where} ${what}`);

const readNumberSetting = (options: HostOptions, name: keyof typeof numberSettings): number => {
  const { defaultValue, min, max } = numberSettings[name];
  const value = options[name] ?? defaultValue;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw settingError(name, `must be a whole number from ${min} to ${max}.`);
};

const reservedPath = /^\/(healthz|readyz|\.well-known(\/.*)?)?$/;

const readPath = (path: string): string => {
  if (!/^(\/[A-Za-z0-9\-._~]+)+$/.test(path) || reservedPath.test(path))
    throw settingError(
      "path",
      'must be a plain path, such as "/mcp", that the host does not use itself, such as "/healthz".',
    );
  return path;
};

const readAllowedHost = (entry: string, index: number): string => {
  if (/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(entry)) return entry.toLowerCase();
  throw settingError(
    `allowedHosts/${index}`,
    'must be a Host header as clients send it, such as "mcp.example.com" or "mcp.example.com:8443". Wildcards are not supported.',
  );
};

const readAllowedOrigin = (entry: string, index: number): string => {
  if (/^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry) return entry;
  throw settingError(
    `allowedOrigins/${index}`,
    'must be an origin as browsers send it, such as "https://app.example.com", without a path. Wildcards are not supported.',
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
