import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { hostAndPortOf, hostOf } from "./url.ts";

export type AddressKind =
  | "loopback"
  | "private"
  | "shared"
  | "link-local"
  | "multicast"
  | "unspecified"
  | "broadcast"
  | "reserved"
  | "cloud platform"
  | "unreadable";

const kindByIpaddrRange: Readonly<Record<string, AddressKind>> = {
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "shared",
  linkLocal: "link-local",
  multicast: "multicast",
  unspecified: "unspecified",
  broadcast: "broadcast",
};

// Azure serves metadata at this address, although its range is public.
const cloudPlatformAddress = "168.63.129.16";

const nonPublicIpv4Kind = (address: ipaddr.IPv4): AddressKind | undefined => {
  const range = address.range();
  if (range !== "unicast") return kindByIpaddrRange[range] ?? "reserved";
  return address.toString() === cloudPlatformAddress ? "cloud platform" : undefined;
};

/** IPv4-mapped and NAT64 addresses reach the embedded IPv4 address. */
const embeddedIpv4 = ({ parts }: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  const [a, b, c, d, e, f, high = 0, low = 0] = parts;
  const mapped = a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff;
  const nat64 = a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0;
  if (!mapped && !nat64) return undefined;
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
};

const nonPublicIpv6Kind = (address: ipaddr.IPv6): AddressKind | undefined => {
  const inner = embeddedIpv4(address);
  if (inner !== undefined) return nonPublicIpv4Kind(inner);
  const range = address.range();
  if (range !== "unicast") return kindByIpaddrRange[range] ?? "reserved";
  // ipaddr.js calls unassigned space unicast, ::127.0.0.1 included. Only 2000::/3 is public.
  return (address.parts[0]! & 0xe000) === 0x2000 ? undefined : "reserved";
};

// ipaddr.js reads ::8.8.8.8 as ::ffff:8.8.8.8, so it receives the form that URLs use.
const canonicalIpv6 = (ip: string): string | undefined => {
  const url = `http://[${ip.replace(/%.*$/, "")}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
};

/** An address that is not known to be public is refused. */
export const nonPublicAddressKind = (ip: string): AddressKind | undefined => {
  const family = isIP(ip);
  if (family === 4) return nonPublicIpv4Kind(ipaddr.IPv4.parse(ip));
  const canonical = family === 6 ? canonicalIpv6(ip) : undefined;
  return canonical === undefined ? "unreadable" : nonPublicIpv6Kind(ipaddr.IPv6.parse(canonical));
};

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
