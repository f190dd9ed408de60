import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../test/kit/expect-to-finish.ts";
import { hasAddress } from "./addresses.ts";

describe("hasAddress finds", () => {
  it.each<readonly [string, unknown]>([
    ["a URL", { page: "https://eve.example/?d=secret" }],
    ["a bare host in an argument named uri", { uri: "secret.eve.example" }],
    ["a bare host in an argument named mailServer", { mailServer: "secret.eve.example:25" }],
    ["a URL in a sentence", { query: "see http://eve.example now" }],
    ["a URL without a scheme", { page: "//eve.example/x" }],
    ["a host that begins with www", { page: "www.eve.example" }],
    ["a domain with a path", { page: "eve.example/x" }],
    ["a domain with a query", { page: "eve.example?d=secret" }],
    ["a WebSocket URL", { to: "wss://eve.example" }],
    ["a URL in a list", { pages: ["a", "https://eve.example"] }],
    ["a nested URL", { a: { b: [{ c: "https://eve.example" }] } }],
    ["an IPv4 address of two parts", { query: "203.28945/?s=1" }],
    ["an IPv4 address of three parts", { query: "203.0.28945/x" }],
    ["a domain with combining marks", { query: "evil.भारत/?s=1" }],
    ["a domain with a symbol", { query: "evil❤.ws/x" }],
    ["a URL with one slash", { page: "https:/eve.example/?d=secret" }],
    ["a URL without slashes", { page: "https:eve.example/?d=secret" }],
    ["a URL with backslashes", { page: "https:\\\\eve.example\\?d=secret" }],
    ["a URL with a tab in the scheme", { page: "ht\ttps://eve.example/secret" }],
    ["a URL with a line break after the scheme", { page: "https:\n//eve.example/secret" }],
    ["a domain with a zero-width character", { page: "\u200beve.example/secret" }],
    ["a URL in full-width letters", { page: "ｈｔｔｐｓ://eve.example/secret" }],
    ["a domain with an ideographic dot", { page: "eve。example/secret" }],
    ["a domain with an escaped dot", { page: "eve%2Eexample/secret" }],
    ["a domain with a final dot", { page: "eve.example./secret" }],
    ["a domain of another script", { page: "eve.рф/secret" }],
    ["a domain in punycode", { page: "eve.xn--p1ai/secret" }],
    ["a domain in a sentence", { query: "see eve.example/secret now" }],
    ["a domain with a port", { page: "secret.eve.example:443" }],
    ["an IPv4 address with a path", { page: "203.0.113.7/secret" }],
    ["an IPv4 address with a port", { page: "203.0.113.7:8080" }],
    ["an IPv6 address", { page: "[2001:db8::1]/secret" }],
    ["localhost", { page: "localhost:9/secret" }],
    ["a Git repository", { from: "git@eve.example:secret.git" }],
    ["a Git repository with a scheme", { from: "git+ssh://git@eve.example/secret" }],
    ["an S3 bucket", { from: "s3://eve/secret" }],
    ["a database URL", { from: "jdbc:postgresql://eve.example/secret" }],
    ["a URL as a key", { headers: { "https://eve.example": 1 } }],
    ["a URL with any other scheme", { q: "webcal://eve.example/?s=secret" }],
    ["a file on another host", { q: "file://eve.example/share/secret" }],
    ["another scheme at the end of the text", { q: "ipns://secret.eve.example" }],
    ["a chat address with a scheme", { q: "xmpp:secret@eve.example" }],
    ["another scheme with an IP address", { q: "dict://203.0.113.7:11211/secret" }],
    ["an IPv4 address as one number", { q: "2130706433/secret" }],
    ["an IPv4 address in hexadecimal", { q: "0x7f000001/secret" }],
    ["an IPv4 address in octal", { q: "0177.0.0.1/secret" }],
    ["a domain after a comma", { q: "good.example,eve.example/secret" }],
    ["a domain in backticks", { q: "`eve.example/secret`" }],
    ["a domain after a vertical bar", { q: "a|eve.example/secret" }],
    ["a domain after an equals sign", { q: "src=eve.example/secret" }],
    ["a domain in braces", { q: "{eve.example/secret}" }],
    ["a domain in brackets", { q: "[eve.example/secret]" }],
    ["a domain after a semicolon", { q: "a;eve.example/secret" }],
    ["a domain after a colon", { q: "to:eve.example/secret" }],
    ["an argument name with an acronym", { URLPath: "eve" }],
    ["the name of an object around the value", { url: { value: "eve" } }],
    ["the argument name url", { url: "eve.example" }],
    ["a compound argument name", { targetUrl: "eve.example" }],
    ["an argument name with underscores", { web_page: "eve" }],
    ["an argument name with a list", { hosts: ["eve"] }],
  ])("%s", (_, input) => {
    expect(hasAddress(input)).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ["undefined", undefined],
    ["an empty URL", { url: "" }],
    ["ordinary words", { query: "weather in Oslo", limit: 5 }],
    ["a file", { path: "notes/report.pdf" }],
    ["a resource of another scheme", { uri: "demo://notes/1" }],
    ["an e-mail address", { sender: "ada@example.com" }],
    ["names that only contain such a word", { curl_options: "x", linkage: "y", hostile: "z" }],
    ["a version", { version: "1.2.3" }],
    ["a time, a ratio and a Windows path", { at: "12:30", ratio: "3.5/4", path: "C:\\notes\\a.txt" }],
    ["a sentence", { text: "Ada said: yes/no. Then she left." }],
  ])("no address in: %s", (_, input) => {
    expect(hasAddress(input)).toBe(false);
  });
});

it("searches long arguments in linear time", () => {
  const length = 2_000_000;
  for (const unit of ["a", "a.", "a:", "a-", "1", "[", "a@"]) {
    const page = unit.repeat(length / unit.length);
    expect(typeof expectToFinish(() => hasAddress({ page }))).toBe("boolean");
  }
});
