import { isObject } from "../../base/json/json-value.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { excerptAt } from "../../base/text/visible.ts";
import type { ArgumentRole, RunLineage, RunText, ValueOrigin, ValueSource } from "../../types/lineage.ts";
import type { Registration } from "../../types/tool.ts";
import { isAddress } from "../addresses.ts";
import { argumentNamesOf, type NamedRole, rolesOf } from "./argument-roles.ts";
import { findId, findValue, foldedTextOf, foldText } from "./find-value.ts";
import type { KnownTargetCheck } from "./known-targets.ts";

export interface TraceContext {
  readonly lineage: RunLineage;
  readonly isKnown: KnownTargetCheck;
}

/** Sources that the user, the application or a trusted tool answers for. */
export const trustedSources: ReadonlySet<ValueSource> = new Set<ValueSource>([
  "user",
  "application",
  "known",
  "approved",
  "trusted",
]);

/** A larger input is not traced: its origins are unknown. */
const maxLeaves = 200;

/**
 * Where the values of a call came from: every target, id and subject, and the links and addresses inside of
 * texts, which are targets too.
 */
export const traceArguments = (
  { key, tool }: Registration,
  input: unknown,
  context: TraceContext,
): readonly ValueOrigin[] => {
  if (!isObject(input)) return [];
  const roles = rolesOf(tool);
  const leaves = leavesOf(input, argumentNamesOf(tool));
  if (leaves.length > maxLeaves) return [{ pointer: "", role: "target", value: "…", source: "model" }];
  return leaves.flatMap(({ argument, pointer, value, isName }) => {
    const { role, from } = isName ? undeclared : (roles.get(argument) ?? undeclared);
    const place = { argument, pointer, tool: key };
    if (role === "value" && from === "inferred" && isLongNumber(value))
      return [originOf(value, { ...place, role: "target" }, context)];
    if (role === "target" || role === "id") return [originOf(value, { ...place, role }, context)];
    const links = linksIn(value).map((link) =>
      originOf(link, { ...place, role: "target", isLink: true }, context),
    );
    if (role !== "subject" || links.length > 0) return links;
    return [subjectOrigin(value, place, context)];
  });
};

/** Where every value came from, whatever its role. */
export const traceAll = (
  { key, tool }: Registration,
  input: unknown,
  context: TraceContext,
): readonly ValueOrigin[] => {
  if (!isObject(input)) return [];
  const roles = rolesOf(tool);
  return leavesOf(input, argumentNamesOf(tool)).map(({ argument, pointer, value }) => {
    const role = (roles.get(argument) ?? undeclared).role === "id" ? "id" : "target";
    return originOf(value, { argument, pointer, role, tool: key }, context);
  });
};

/** The argument that an origin belongs to. */
export const argumentOfOrigin = ({ pointer }: ValueOrigin): string =>
  (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");

/** An account or a phone number rather than an amount. */
const isLongNumber = (value: string): boolean => /^\d{7,}$/.test(value);

const undeclared: NamedRole = { role: "target", from: "inferred" };

interface Leaf {
  /** The argument that the value is in. */
  readonly argument: string;
  readonly pointer: string;
  readonly value: string;
  /** A member name that the model chose. */
  readonly isName?: true;
}

/**
 * Values, and member names that the schema does not declare: the model chose them. Without a schema all names
 * inside of an argument.
 */
const leavesOf = (input: object, declared: ReadonlySet<string> = noNames): readonly Leaf[] => {
  const found: Leaf[] = [];
  const isChosen = (name: string): boolean => !declared.has(name);
  const visit = (value: unknown, argument: string, pointer: string): void => {
    if (found.length > maxLeaves) return;
    if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
      if (value !== "") found.push({ argument, pointer, value: String(value) });
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, argument, `${pointer}/${index}`);
      });
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
        if (isChosen(name)) found.push({ argument, pointer, value: name, isName: true });
        visit(member, argument, `${pointer}/${escaped}`);
      }
    }
  };
  for (const [name, value] of Object.entries(input)) {
    const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (declared !== noNames && isChosen(name))
      found.push({ argument: name, pointer, value: name, isName: true });
    visit(value, name, pointer);
  }
  return found;
};

const noNames: ReadonlySet<string> = new Set();

interface ValuePlace {
  readonly argument: string;
  readonly pointer: string;
  readonly role: ArgumentRole;
  readonly tool: string;
  readonly isLink?: true;
}

const originOf = (
  value: string,
  { argument, pointer, role, tool, isLink }: ValuePlace,
  { lineage, isKnown }: TraceContext,
): ValueOrigin => {
  const origin = { pointer, role, value: shorten(value), ...(isLink === undefined ? {} : { isLink }) };
  const find = role === "id" ? findId : findValue;
  let untrusted: RunText | undefined;
  for (const text of lineage.texts) {
    if (find(foldedTextOf(text), value) < 0) continue;
    const context = { lineage, isKnown };
    if (isTrustedText(text, context) && !isPlanted(value, text, context))
      return { ...origin, ...sourceOf(text, lineage) };
    untrusted ??= text;
  }
  if (isKnown(argument, value)) return { ...origin, source: "known" };
  if (isApproved(lineage, { tool, role, value, isLink })) return { ...origin, source: "approved" };
  // An id that no text names as one can still occur in an untrusted result.
  untrusted ??= lineage.texts.find(
    (text) => text.source === "result" && findValue(foldedTextOf(text), value) >= 0,
  );
  if (untrusted === undefined) return { ...origin, source: "model" };
  const excerpt = excerptOf(untrusted, value);
  return {
    ...origin,
    ...sourceOf(untrusted, lineage),
    source: "untrusted",
    ...(excerpt === undefined ? {} : { excerpt }),
  };
};

/** A subject may combine words of the user and of trusted results. */
const subjectOrigin = (
  value: string,
  place: Omit<ValuePlace, "role">,
  context: TraceContext,
): ValueOrigin => {
  const whole = originOf(value, { ...place, role: "subject" }, context);
  if (trustedSources.has(whole.source)) return whole;
  const words = value.match(/[\p{L}\p{N}][\p{L}\p{N}'@.&-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
  if (words.length === 0 || words.length > maxSubjectWords) return whole;
  const origins = words.map((word) => originOf(word, { ...place, role: "subject" }, context));
  const missing = origins.find(({ source }) => !trustedSources.has(source));
  if (missing !== undefined)
    return { ...whole, ...(missing.source === "untrusted" ? missing : {}), value: whole.value };
  return { ...whole, source: origins.some(({ source }) => source === "trusted") ? "trusted" : "user" };
};

const maxSubjectWords = 50;

const sourceOf = (text: RunText, { texts }: RunLineage): Omit<ValueOrigin, "pointer" | "role" | "value"> => {
  const { source, tool } = text;
  if (source !== "result") return { source };
  const call = texts.filter((each) => each.tool === tool).indexOf(text) + 1;
  return { source: "trusted", ...(tool === undefined ? {} : { tool, call }) };
};

const trustCache = new WeakMap<RunText, boolean>();

/**
 * The result of a trusted look-up counts only if its arguments come from trusted sources: otherwise untrusted
 * content chose what was looked up.
 */
const isTrustedText = (text: RunText, context: TraceContext): boolean => {
  if (text.source !== "result") return true;
  if (text.isUntrusted === true) return false;
  const known = trustCache.get(text);
  if (known !== undefined) return known;
  const { texts } = context.lineage;
  const { approved, plan, hasLeftPlan } = context.lineage;
  const before = { texts: texts.slice(0, texts.indexOf(text)), approved, plan, hasLeftPlan };
  const hasUntrusted = before.texts.some((each) => !isTrustedText(each, context));
  const leaves = isObject(text.input) ? leavesOf(text.input) : [];
  const isTrusted =
    !hasUntrusted ||
    (leaves.length <= maxLeaves &&
      leaves.every(({ argument, pointer, value }) => {
        if (isNumber(value)) return true;
        const place = { argument, pointer, role: "target", tool: text.tool ?? "" } as const;
        return trustedSources.has(originOf(value, place, { ...context, lineage: before }).source);
      }));
  trustCache.set(text, isTrusted);
  return isTrusted;
};

const isNumber = (value: string): boolean => /^-?\d{1,4}(\.\d+)?$/.test(value);

/**
 * Whether an earlier call wrote the value from untrusted content to where a trusted tool reads it, such as a
 * note or an event.
 */
const isPlanted = (value: string, text: RunText, { lineage, isKnown }: TraceContext): boolean => {
  if (text.source !== "result") return false;
  const { texts, approved, plan, hasLeftPlan } = lineage;
  return texts.slice(0, texts.indexOf(text)).some((write, index) => {
    if (write.isWrite !== true || !isObject(write.input)) return false;
    const holds = leavesOf(write.input).some((leaf) => findValue(foldText(leaf.value), value) >= 0);
    if (!holds) return false;
    const before = { texts: texts.slice(0, index), approved, plan, hasLeftPlan };
    const place = { argument: "", pointer: "", role: "target", tool: write.tool ?? "" } as const;
    return !trustedSources.has(originOf(value, place, { lineage: before, isKnown }).source);
  });
};

type ApprovedValue = Pick<ValuePlace, "role" | "tool" | "isLink"> & { readonly value: string };

const isApproved = ({ approved }: RunLineage, { role, tool, isLink, value }: ApprovedValue): boolean =>
  approved.some(({ registration, input }) => {
    if (registration.key !== tool || !isObject(input)) return false;
    const roles = rolesOf(registration.tool);
    return leavesOf(input).some((leaf) => {
      const own = (roles.get(leaf.argument) ?? undeclared).role;
      if (own !== "target" && own !== "id") return isLink === true && linksIn(leaf.value).includes(value);
      return isLink === undefined && own === role && leaf.value === value;
    });
  });

/** Links, host names, e-mail addresses and bank accounts inside of a text. */
const linkPatterns: readonly RegExp[] = [
  // All repetitions before the end of a link are bounded, so that the time is linear in the length of the text.
  /[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>()[\]{}]+/giu,
  /(?:mailto|tel|sip|data|javascript):[^\s"'<>()[\]{}]+/giu,
  /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,20}/giu,
  /(?<![\p{L}\p{N}@._/-])(?:[\p{L}\p{N}_-]{1,63}\.){1,20}(?:\p{L}{2,63}|xn--[\w-]{1,59})(?::\d+)?(?:[/?#][^\s"'<>()[\]{}]*)?/giu,
  /(?<![\p{L}\p{N}:/])\/\/[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63}){1,20}[^\s"'<>()[\]{}]*/giu,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:[/?#][^\s"'<>]*)?/g,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g,
];

/** Longer texts, or texts with more links, are not searched: the whole text is one target. */
const maxLinkedText = 200_000;
const maxLinks = 200;

const linksIn = (text: string): readonly string[] => {
  if (text.length > maxLinkedText) return [text];
  const read = decodeEntities(text.normalize("NFKC").replace(/\p{Cf}/gu, ""));
  const spans: { readonly link: string; readonly start: number; readonly end: number }[] = [];
  for (const pattern of linkPatterns) {
    for (const match of read.matchAll(pattern)) {
      const link = match[0].replace(/[.,;:!?]+$/u, "");
      if (isFileName(link)) continue;
      spans.push({ link, start: match.index, end: match.index + link.length });
      if (spans.length > maxLinks) return [text];
    }
  }
  // A part of another link, such as the host of an address.
  const whole = spans.filter(
    (span) =>
      !spans.some(
        ({ start, end }) => start <= span.start && span.end <= end && end - start > span.end - span.start,
      ),
  );
  let rest = read;
  for (const { start, end } of whole) rest = rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end);
  const links = [...new Set(whole.map(({ link }) => link))];
  return isAddress(rest) || networkPath.test(rest) ? [...links, text] : links;
};

/** `\\\\host\\share`. */
const networkPath = /(?:^|[^\\])\\\\[\p{L}\p{N}]/u;

const decodeEntities = (text: string): string =>
  text.replace(/&#(x[\da-f]{1,6}|\d{1,7});?/gi, (entity, code: string) => {
    const point = code[0]?.toLowerCase() === "x" ? Number.parseInt(code.slice(1), 16) : Number(code);
    return point > 0x20 && point <= 0x10ffff ? String.fromCodePoint(point) : entity;
  });

/** `report.docx` looks like a host name. Endings that are top-level domains too are not listed. */
const isFileName = (link: string): boolean =>
  /^(?!www\.)[^/:@]+\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|json|ya?ml|xml|html?|png|jpe?g|gif|svg|log|js)$/i.test(
    link,
  );

/** Longer values are only the beginning of what was compared. */
const maxShown = 200;

const shorten = (value: string): string => (value.length > maxShown ? `${headOf(value, maxShown)}…` : value);

const excerptOf = ({ text }: RunText, value: string): string | undefined => {
  const escaped = value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const at = new RegExp(escaped, "iu").exec(text)?.index ?? -1;
  return at < 0 ? undefined : excerptAt(text, at, value.length);
};
