import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nonPublicAddressKind } from "./address.ts";

describe("nonPublicAddressKind", () => {
  it.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["fd00::1", "private"],
    ["fc00:ec2::254", "private"],
    ["100.64.0.1", "shared"],
    ["100.100.100.200", "shared"],
    ["169.254.169.254", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["::", "unspecified"],
    ["255.255.255.255", "broadcast"],
    ["198.18.0.1", "reserved"],
    ["192.0.2.1", "reserved"],
    ["203.0.113.9", "reserved"],
    ["240.0.0.1", "reserved"],
    ["2001:db8::1", "reserved"],
    ["2001:2::1", "reserved"],
    ["fec0::1", "reserved"],
    ["100::1", "reserved"],
    ["5f00::1", "reserved"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:a9fe:a9fe", "link-local"],
    ["::ffff:0:127.0.0.1", "reserved"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["64:ff9b::10.0.0.1", "private"],
    ["64:ff9b:1::8.8.8.8", "reserved"],
    ["2002:7f00:1::", "reserved"],
    ["2002:808:808::1", "reserved"],
    ["2001:0:4136:e378:8000:63bf:80ff:fffe", "reserved"],
    ["::127.0.0.1", "reserved"],
    ["::8.8.8.8", "reserved"],
    ["4000::1", "reserved"],
    ["168.63.129.16", "cloud platform"],
    ["::ffff:168.63.129.16", "cloud platform"],
    ["127.1", "unreadable"],
    ["0x7f000001", "unreadable"],
    ["2130706433", "unreadable"],
    ["example.com", "unreadable"],
    ["", "unreadable"],
  ])("classifies %s as %s", (ip, kind) => {
    expect(nonPublicAddressKind(ip)).toBe(kind);
  });

  it.each([
    "8.8.8.8",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450:4001:800::200e",
  ])("accepts the public address %s", (ip) => {
    expect(nonPublicAddressKind(ip)).toBeUndefined();
  });

  it("classifies mapped and NAT64 addresses like the IPv4 address they contain", () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(nonPublicAddressKind(`::ffff:${ip}`)).toBe(nonPublicAddressKind(ip));
        expect(nonPublicAddressKind(`64:ff9b::${ip}`)).toBe(nonPublicAddressKind(ip));
      }),
    );
  });

  it("rejects IPv6 addresses outside 2000::/3 unless they contain a public IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        if (nonPublicAddressKind(ip) !== undefined) return;
        expect(ip).toMatch(/^([23][0-9a-f]{3}:|(0*:)*:?(0*:)*ffff:|0*64:ff9b:)/i);
      }),
    );
  });

  it("rejects any text that is not an address without throwing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(nonPublicAddressKind(text)).toBeTypeOf("string");
      }),
    );
  });
});
