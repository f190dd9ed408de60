const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** RFC 1123, without a trailing dot. */
export const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((each) => label.test(each));

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

export const isIpv4 = (text: string): boolean => ipv4.test(text);

const maxIpv6Length = 45;
const group = /^[0-9a-f]{1,4}$/i;

/** RFC 4291, section 2.2, without a zone. */
export const isIpv6 = (text: string): boolean => {
  if (text.length > maxIpv6Length) return false;
  const [left = "", right, ...more] = text.split("::");
  if (more.length > 0) return false;
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const groups = [...before, ...after];
  const last = groups.at(-1) ?? "";
  const hasIpv4 = last.includes(".");
  if (hasIpv4 && (right === "" || !isIpv4(last))) return false;
  const isHex = (hasIpv4 ? groups.slice(0, -1) : groups).every((each) => group.test(each));
  const length = groups.length + (hasIpv4 ? 1 : 0);
  return isHex && (right === undefined ? length === 8 : length < 8);
};

const atoms = /[^a-z0-9!#$%&'*+/=?^_`{|}~.-]/i;
const quoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/;
const maxLocalPartLength = 64;
const maxEmailLength = 320;

/** `Mailbox` of RFC 5321. */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > maxEmailLength) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const isDotted = !atoms.test(local) && !local.split(".").includes("");
  if (local.length > maxLocalPartLength || !(isDotted || quoted.test(local))) return false;
  if (!domain.startsWith("[")) return isHostname(domain);
  if (!domain.endsWith("]")) return false;
  const address = domain.slice(1, -1);
  return isIpv4(address) || (/^ipv6:/i.test(address) && isIpv6(address.slice(5)));
};
