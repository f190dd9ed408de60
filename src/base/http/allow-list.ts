import { isIP } from "node:net";
import { type AddressKind, nonPublicAddressKind } from "./address.ts";
import { hostAndPortOf, hostOf } from "./host-and-port.ts";

export interface AllowList {
  readonly has: (url: URL) => boolean;
  readonly refuse: (url: URL, address: string) => AddressKind | undefined;
}

// An allowed name may resolve to a private network, but never to link-local metadata.
const openableKinds: ReadonlySet<AddressKind> = new Set(["loopback", "private", "shared"]);

export const canOpen = (url: URL, kind: AddressKind): boolean =>
  isIP(hostOf(url)) !== 0 || openableKinds.has(kind);

export const allowList = (places: readonly string[]): AllowList => {
  const listed = new Set(places);
  const has = (url: URL) => listed.has(hostAndPortOf(url));
  return {
    has,
    refuse: (url, address) => {
      const kind = nonPublicAddressKind(address);
      if (kind === undefined || !has(url)) return kind;
      return canOpen(url, kind) ? undefined : kind;
    },
  };
};
