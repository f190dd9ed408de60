/** Arguments with these names are addresses, with or without a scheme. */
const addressNamePattern =
  /^(.*[^a-z])?(urls?|hrefs?|links?|web_?pages?|web_?sites?|sites?|domains?|host_?names?|hosts?|endpoints?|webhooks?|callbacks?)([^a-z].*)?$/;

/** Arguments with these names are addresses if their value is a host name. */
const hostNamePattern =
  /^(.*[^a-z])?(uris?|address(?:es)?|servers?|origins?|proxy|proxies|targets?)([^a-z].*)?$/;

// All repetitions are bounded, so that the time is linear in the length of the text.
const label = String.raw`[\p{L}\p{M}\p{S}\d_-]{1,63}`;
const domainPattern = String.raw`${label}(?:\.${label}){0,20}\.(?:[\p{L}\p{M}]{2,63}|xn--[\w-]{1,59})\.?`;

const bareHostPattern = new RegExp(`^\\s*${domainPattern}(?::\\d+)?(?:[/?#].*)?\\s*$`, "iu");

/** More than what looks like a URL. */
const addressForms: readonly RegExp[] = [
  /(?<![a-z])(?:https?|wss?|ftps?|sftp|mailto):\S/i,
  /(?<![a-z])(?:git|ssh|svn|s3|gs|gopher|ldaps?|smb|nfs|telnet|rediss?|amqps?|mongodb|mysql|postgres(?:ql)?)(?:\+\w+)?:\/\/\S/i,
  // Any other scheme with a domain or IP address. MCP resources such as demo://notes/1 are not addresses.
  new RegExp(
    String.raw`[a-z][a-z\d+.-]{0,30}:(?:\/\/)?(?:[^\s/@]{0,200}@)?(?:${domainPattern}|\d[\d.]{0,30}(?![\d.]))(?:[/?#:]|$)`,
    "iu",
  ),
  new RegExp(String.raw`[a-z][a-z\d+.-]{0,30}:(?:\/\/)?[^\s/@:]{1,200}@${domainPattern}`, "iu"),
  /^\s*\/\/[^\s/]|\bwww\.|\blocalhost[:/]/i,
  new RegExp(String.raw`(?<![\p{L}\p{N}_./-])${domainPattern}(?:[/?#]|:\d)`, "iu"),
  new RegExp(`@${domainPattern}:`, "iu"),
  // IPv4 addresses also as one number, in hexadecimal and octal; IPv6 addresses in brackets.
  /(?<![\w.])\d{1,3}(?:\.\d{1,3})?\.\d{3,10}(?:[/?#]|:\d)/,
  /(?<![\w.])(?:(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){3}|0x[\da-f]{6,}|\d{8,10})(?:[/?#]|:\d)/i,
  /\[[\da-f:.]{0,45}:[\da-f:.]{0,45}\]/i,
];

/** Whether a text contains what URL parsers and name resolvers accept. */
export const isAddress = (text: string): boolean => {
  const read = text
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .replace(/\\/g, "/")
    .replace(/\u3002|%2e/gi, ".");
  return addressForms.some((form) => form.test(read));
};

/** Larger arguments count as an address. */
const maxValues = 10_000;

/** An address-like name also applies to the members of its object. */
export const hasAddress = (input: unknown): boolean => {
  const rest: (readonly [name: string, value: unknown])[] = [["", input]];
  for (let seen = 0; rest.length > 0; seen += 1) {
    if (seen > maxValues) return true;
    const [name, value] = rest.pop()!;
    if (typeof value === "string") {
      if (value !== "" && (isAddress(value) || isNamedAddress(toSnakeCase(name), value))) return true;
    } else if (Array.isArray(value)) {
      for (const item of value) rest.push([name, item]);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (isAddress(key)) return true;
        rest.push([`${name}_${key}`, member]);
      }
    }
  }
  return false;
};

const isNamedAddress = (name: string, value: string): boolean =>
  addressNamePattern.test(name) ||
  (hostNamePattern.test(name) && bareHostPattern.test(value.normalize("NFKC")));

const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
