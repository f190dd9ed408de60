import { isIPv6 } from "node:net";

/** IPv6 clients usually own a /64 network. */
export const addressKeyOf = (address: string | undefined): string => {
  if (address === undefined || !isIPv6(address)) return address ?? "";
  const withoutZone = address.replace(/%.*$/, "");
  if (/^::ffff:\d+\./.test(withoutZone)) return withoutZone.slice("::ffff:".length);
  const host = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [head = "", tail] = host.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, 4).join(":");
};
