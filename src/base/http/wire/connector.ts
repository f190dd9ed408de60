import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { type AddressKind, type AllowList, canOpen } from "../address.ts";
import { hostOf } from "../url.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type HostLookup = (
  hostname: string,
  answer: (error: Error | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

export class RefusedAddressError extends Error {
  readonly address: string;
  readonly kind: AddressKind;
  readonly mayBeAllowed: boolean;
  constructor(address: string, kind: AddressKind, mayBeAllowed: boolean) {
    super(`${address} is a ${kind} address`);
    this.mayBeAllowed = mayBeAllowed;
    this.address = address;
    this.kind = kind;
  }
}

/** Nothing was sent. */
export class ConnectionFailedError extends Error {}

type Connector = ReturnType<typeof buildConnector>;

interface ConnectorOptions {
  readonly allow: AllowList;
  readonly lookup: HostLookup;
  readonly connectTimeoutMs: number;
}

/**
 * The socket connects to exactly the checked addresses, which prevents DNS rebinding. One refused address
 * refuses the host.
 */
export const connector = (origin: URL, { allow, lookup, connectTimeoutMs }: ConnectorOptions): Connector => {
  const refuse = (address: string): RefusedAddressError | undefined => {
    const kind = allow.refuse(origin, address);
    if (kind === undefined) return undefined;
    return new RefusedAddressError(address, kind, !allow.has(origin) && canOpen(origin, kind));
  };

  const checkedLookup: LookupFunction = (hostname, options, answer) =>
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

  // HTTP/1.1 only: its parser bounds headers, and each request has its own socket.
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup: checkedLookup });

  return (options, callback) => {
    // A literal address is never looked up.
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
