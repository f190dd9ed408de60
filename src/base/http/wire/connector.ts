import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { AddressKind } from "../address.ts";
import { type AllowList, canOpen } from "../allow-list.ts";
import { hostOf } from "../host-and-port.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all its addresses. Replaceable, so that a test can play a hostile DNS server. */
export type HostLookup = (
  hostname: string,
  answer: (error: Error | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

/** The guard said no; nothing was sent. */
export class RefusedAddressError extends Error {
  readonly address: string;
  readonly kind: AddressKind;
  /** Whether an entry in the allow list would open it. */
  readonly mayBeAllowed: boolean;
  constructor(address: string, kind: AddressKind, mayBeAllowed: boolean) {
    super(`${address} is a ${kind} address`);
    this.mayBeAllowed = mayBeAllowed;
    this.address = address;
    this.kind = kind;
  }
}

/** No connection came about, so nothing was sent. */
export class ConnectionFailedError extends Error {}

type Connector = ReturnType<typeof buildConnector>;

interface ConnectorOptions {
  readonly allow: AllowList;
  readonly lookup: HostLookup;
  readonly connectTimeoutMs: number;
}

/**
 * Opens sockets to one origin. The socket goes to the very addresses that were judged, so an answer
 * that changes between check and use has no effect; one bad address among many refuses them all.
 */
export const connector = (origin: URL, { allow, lookup, connectTimeoutMs }: ConnectorOptions): Connector => {
  const refuse = (address: string): RefusedAddressError | undefined => {
    const kind = allow.refuse(origin, address);
    if (kind === undefined) return undefined;
    return new RefusedAddressError(address, kind, !allow.has(origin) && canOpen(origin, kind));
  };

  const judgedLookup: LookupFunction = (hostname, options, answer) =>
    lookup(hostname, (error, addresses) => {
      const first = addresses[0];
      if (error !== null) return answer(error, "");
      if (first === undefined) return answer(new Error(`${hostname} has no address`), "");
      for (const { address } of addresses) {
        const refusal = refuse(address);
        if (refusal !== undefined) return answer(refusal, "");
      }
      return options.all === true ? answer(null, [...addresses]) : answer(null, first.address, first.family);
    });

  // HTTP/1.1 only: its parser bounds headers, and one request owns one socket.
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup: judgedLookup });

  return (options, callback) => {
    // A literal address never passes through a lookup.
    const host = hostOf(origin);
    const refusal = isIP(host) === 0 ? undefined : refuse(host);
    if (refusal !== undefined) return callback(refusal, null);
    connect(options, (error, socket) => {
      if (error !== null) {
        return callback(
          error instanceof RefusedAddressError
            ? error
            : new ConnectionFailedError(error.message, { cause: error }),
          null,
        );
      }
      const refusedKind = socket.remoteAddress === undefined ? undefined : refuse(socket.remoteAddress);
      if (refusedKind !== undefined) {
        socket.destroy();
        return callback(refusedKind, null);
      }
      return callback(null, socket);
    });
  };
};
