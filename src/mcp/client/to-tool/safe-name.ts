import { hashText } from "../../../json/hash.ts";
import { checkName } from "../../../tool/name.ts";

const longest = 64;
const digits = 16;

const printable = /^[\x20-\x7e]+$/;
const foreign = /[^A-Za-z0-9_-]/;
const usable = /^[A-Za-z0-9].{0,63}$/;
/** Ends as the names below do that have no other form, and must not be taken for one of them. */
const hashed = new RegExp(`___[0-9a-f]{${digits}}$`);

/**
 * A remote name as one segment of ours; no two remote names share one. Most names stay as they are. Signs that our
 * names do not have become their code between hyphens (`a.b` is `a-2E-b`), and what would begin wrongly or be too
 * long ends in a hash. Throws for what can be mistaken or means something to JavaScript: such a name is never repaired.
 */
export const safeName = (remote: string): string => {
  if (!printable.test(remote) || Object.hasOwn(Object.prototype, remote)) checkName(remote);
  const escaped = toAlphabet(remote);
  const isWhole = usable.test(escaped) && !hashed.test(escaped);
  const name = isWhole ? escaped : `${headOf(escaped)}___${hashText(remote).slice(0, digits)}`;
  checkName(name);
  return name;
};

const toAlphabet = (remote: string): string => {
  if (!foreign.test(remote) && !remote.includes("-")) return remote;
  let text = "";
  for (let at = 0; at < remote.length; at++) {
    const sign = remote[at] as string;
    const isPlain = sign === "-" ? !readsAsEscape(remote, at) : !foreign.test(sign);
    text += isPlain ? sign : `-${sign.charCodeAt(0).toString(16).toUpperCase()}-`;
  }
  return text;
};

/** Such a hyphen is escaped too. */
const readsAsEscape = (remote: string, at: number): boolean => {
  const after = remote[at + 3];
  return (
    /^[0-9A-F]{2}$/.test(remote.slice(at + 1, at + 3)) &&
    after !== undefined &&
    (after === "-" || foreign.test(after))
  );
};

const headOf = (escaped: string): string => {
  const head = escaped.replace(/^[^A-Za-z0-9]+/, "").slice(0, longest - digits - 3);
  return head === "" ? "tool" : head;
};
