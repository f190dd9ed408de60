import { isIP } from "node:net";
import { type AddressKind, nonPublicAddressKind } from "./address.ts";
import { hostAndPortOf, hostOf } from "./host-and-port.ts";

/** Places that the operator opens though their address or port would be refused. */
export interface AllowList {
  readonly has: (url: URL) => boolean;
  /** Why this address may not be reached under the name in the URL. */
  readonly refuse: (url: URL, address: string) => AddressKind | undefined;
}

// A name that is opened may lead into a private network, but never to link-local metadata and the like.
const openableKinds: ReadonlySet<AddressKind> = new Set(["loopback", "private", "shared"]);

/** Whether an entry of the allow list opens an address of this kind under the name in the URL. */
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
