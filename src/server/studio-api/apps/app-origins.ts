import { isObject } from "../../../base/json/json-value.ts";
import type { AppOrigins } from "../schemas/apps.ts";

const maxOriginsPerList = 20;
const maxOriginLength = 200;

export const declarationFields = {
  connect: "connectDomains",
  resource: "resourceDomains",
  frame: "frameDomains",
  base: "baseUriDomains",
} as const satisfies Record<keyof AppOrigins, string>;

export const originKinds = Object.keys(declarationFields) as readonly (keyof AppOrigins)[];

const allowedSchemes: Readonly<Record<keyof AppOrigins, RegExp>> = {
  connect: /^(https?|wss?)$/,
  resource: /^https?$/,
  frame: /^https?$/,
  base: /^https?$/,
};

export interface ParsedAppOrigins {
  readonly allowedOrigins: AppOrigins;
  readonly rejectedOrigins: readonly string[];
}

/**
 * Parses `_meta.ui.csp`. Only full origins are allowed. This machine and the Studio are not, because requests
 * to them could carry the session of the user.
 */
export const parseAppOrigins = (csp: unknown, ownHosts: readonly string[]): ParsedAppOrigins => {
  const rejectedOrigins: string[] = [];
  const read = (kind: keyof AppOrigins): readonly string[] => {
    const name = declarationFields[kind];
    const declared = isObject(csp) ? csp[name] : undefined;
    if (declared === undefined) return [];
    if (!Array.isArray(declared)) {
      rejectedOrigins.push(`${name} is not an array.`);
      return [];
    }
    if (declared.length > maxOriginsPerList)
      rejectedOrigins.push(`${name} has more than ${maxOriginsPerList} origins.`);
    return declared.slice(0, maxOriginsPerList).flatMap((source: unknown) => {
      const why = originProblem(source, allowedSchemes[kind], ownHosts);
      if (why === undefined) return [String(source).toLowerCase()];
      rejectedOrigins.push(`${name}: ${String(source).slice(0, maxOriginLength)} ${why}.`);
      return [];
    });
  };
  const allowedOrigins = Object.fromEntries(originKinds.map((kind) => [kind, read(kind)])) as Record<
    keyof AppOrigins,
    readonly string[]
  >;
  return { allowedOrigins, rejectedOrigins };
};

/** Scheme, host with an optional leading `*.`, and optional port. */
const originPattern = /^([a-z]+):\/\/((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/;

const originProblem = (source: unknown, scheme: RegExp, ownHosts: readonly string[]): string | undefined => {
  if (typeof source !== "string" || source.length > maxOriginLength) return "is not a valid origin";
  const [, given, host] = originPattern.exec(source.toLowerCase()) ?? [];
  if (given === undefined || host === undefined) return "is not an origin, such as https://api.example";
  if (!scheme.test(given)) return `uses the scheme ${given}, which is not allowed here`;
  if (isThisMachine(host)) return "is on this machine, which Apps may not access";
  if (ownHosts.some((own) => coversHost(host, own))) return "is the Studio, which Apps may not access";
  return undefined;
};

/** The URL parser resolves forms such as 127.1 and 0x7f.1. */
const isThisMachine = (host: string): boolean => {
  const address = `http://${host.replace(/^\*\./, "")}`;
  if (!URL.canParse(address)) return true;
  const { hostname } = new URL(address);
  return /^(127|0)\./.test(hostname) || /(^|\.)localhost\.?$/.test(hostname);
};

const coversHost = (host: string, own: string): boolean =>
  host.startsWith("*.") ? own.endsWith(host.slice(1)) || own === host.slice(2) : own === host;
