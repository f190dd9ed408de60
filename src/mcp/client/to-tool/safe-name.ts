import { hashText } from "../../../base/json/canonical-json.ts";
import { checkToolName } from "../../../tools/tool-name.ts";

const maxSegmentLength = 64;
const hashDigits = 16;

const printablePattern = /^[\x20-\x7e]+$/;
const foreignCharacterPattern = /[^A-Za-z0-9_-]/;
const usableNamePattern = /^[A-Za-z0-9].{0,63}$/;
/** Hashed too, so that it cannot collide with a hashed name. */
const hashedNamePattern = new RegExp(`___[0-9a-f]{${hashDigits}}$`);

/**
 * Maps remote names to unique tool names. Other characters become hex (`a.b` is `a-2E-b`); names that are too
 * long end in a hash. Throws for ambiguous or reserved names.
 */
export const toSafeName = (remote: string): string => {
  if (!printablePattern.test(remote) || Object.hasOwn(Object.prototype, remote)) checkToolName(remote);
  const escaped = toAlphabet(remote);
  const isWhole = usableNamePattern.test(escaped) && !hashedNamePattern.test(escaped);
  const name = isWhole ? escaped : `${hashedNameHead(escaped)}___${hashText(remote).slice(0, hashDigits)}`;
  checkToolName(name);
  return name;
};

const toAlphabet = (remote: string): string => {
  if (!foreignCharacterPattern.test(remote) && !remote.includes("-")) return remote;
  let text = "";
  for (let at = 0; at < remote.length; at++) {
    const sign = remote[at] as string;
    const isPlain = sign === "-" ? !looksLikeEscape(remote, at) : !foreignCharacterPattern.test(sign);
    text += isPlain ? sign : `-${sign.charCodeAt(0).toString(16).toUpperCase()}-`;
  }
  return text;
};

const looksLikeEscape = (remote: string, at: number): boolean => {
  const after = remote[at + 3];
  return (
    /^[0-9A-F]{2}$/.test(remote.slice(at + 1, at + 3)) &&
    after !== undefined &&
    (after === "-" || foreignCharacterPattern.test(after))
  );
};

const hashedNameHead = (escaped: string): string => {
  const head = escaped.replace(/^[^A-Za-z0-9]+/, "").slice(0, maxSegmentLength - hashDigits - 3);
  return head === "" ? "tool" : head;
};
