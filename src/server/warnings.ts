import type { HostOptions } from "./host-options.ts";
import { isLoopback } from "./loopback.ts";
import type { Settings } from "./settings.ts";

const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

/** What is allowed and still not well. */
export const warningsOf = ({ host, allowedHosts }: Settings, { auth }: HostOptions): readonly string[] => {
  if (isLoopback(host)) return [];
  const warnings = [
    `Tokens to ${host} travel in the clear: this host speaks plain http. Put a proxy with TLS in front of it, and bind to 127.0.0.1 where it stands on the same machine.`,
  ];
  if (everywhere.has(host) && allowedHosts.length === 0 && auth.kind !== "jwt") {
    warnings.push(
      "Only requests to localhost are answered, because allowedHosts does not say under which names others reach this host.",
    );
  }
  return warnings;
};
