import { isObject } from "../../base/json/json-value.ts";
import { headOf } from "../../base/text/cut-text.ts";
import { excerptAt } from "../../base/text/visible.ts";
import type { ArgumentRole, RunLineage, RunText, ValueOrigin, ValueSource } from "../../types/lineage.ts";
import type { Registration } from "../../types/tool.ts";
import { isAddress } from "../addresses.ts";
import { type NamedRole, rolesOf } from "./argument-roles.ts";
import { findId, findValue, foldedTextOf } from "./find-value.ts";
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
const maxLeaves = 1_000;

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
  const leaves = leavesOf(input);
  if (leaves.length > maxLeaves) return [{ pointer: "", role: "target", value: "…", source: "model" }];
  return leaves.flatMap(({ argument, pointer, value, isName }) => {
    const { role, from } = isName ? undeclared : (roles.get(argument) ?? undeclared);
    const place = { argument, pointer, tool: key };
    if (role === "value" && from === "inferred" && isLongNumber(value))
      return [originOf(value, { ...place, role: "target" }, context)];
    if (role === "target" || role === "id") return [originOf(value, { ...place, role }, context)];
    const links = linksIn(value).map(
      (link): ValueOrigin => ({ ...originOf(link, { ...place, role: "target" }, context), isLink: true }),
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
  return leavesOf(input).map(({ argument, pointer, value }) => {
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

const leavesOf = (input: object): readonly Leaf[] => {
  const found: Leaf[] = [];
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
        if (linksIn(name).length > 0) found.push({ argument, pointer, value: name, isName: true });
        visit(member, argument, `${pointer}/${escaped}`);
      }
    }
  };
  for (const [name, value] of Object.entries(input))
    visit(value, name, `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return found;
};

interface ValuePlace {
  readonly argument: string;
  readonly pointer: string;
  readonly role: ArgumentRole;
  readonly tool: string;
}

const originOf = (
  value: string,
  { argument, pointer, role, tool }: ValuePlace,
  { lineage, isKnown }: TraceContext,
): ValueOrigin => {
  const origin = { pointer, role, value: shorten(value) };
  const find = role === "id" ? findId : findValue;
  let untrusted: RunText | undefined;
  for (const text of lineage.texts) {
    if (find(foldedTextOf(text), value) < 0) continue;
    if (isTrustedText(text, { lineage, isKnown })) return { ...origin, ...sourceOf(text) };
    untrusted ??= text;
  }
  if (isKnown(argument, value)) return { ...origin, source: "known" };
  if (isApproved(lineage, tool, role, value)) return { ...origin, source: "approved" };
  // An id that no text names as one can still occur in an untrusted result.
  untrusted ??= lineage.texts.find(
    (text) => text.source === "result" && findValue(foldedTextOf(text), value) >= 0,
  );
  if (untrusted === undefined) return { ...origin, source: "model" };
  const excerpt = excerptOf(untrusted, value);
  return {
    ...origin,
    ...sourceOf(untrusted),
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
  const origins = words.map((word) => originOf(word, { ...place, role: "subject" }, context));
  const missing = origins.find(({ source }) => !trustedSources.has(source));
  if (missing !== undefined)
    return { ...whole, ...(missing.source === "untrusted" ? missing : {}), value: whole.value };
  return { ...whole, source: origins.some(({ source }) => source === "trusted") ? "trusted" : "user" };
};

const sourceOf = ({ source, tool, call }: RunText): Omit<ValueOrigin, "pointer" | "role" | "value"> => ({
  source: source === "result" ? "trusted" : source,
  ...(tool === undefined ? {} : { tool }),
  ...(call === undefined ? {} : { call }),
});

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
  const isTrusted =
    !hasUntrusted ||
    !isObject(text.input) ||
    leavesOf(text.input).every(({ argument, pointer, value }) => {
      if (isNumber(value)) return true;
      const place = { argument, pointer, role: "target", tool: text.tool ?? "" } as const;
      return trustedSources.has(originOf(value, place, { ...context, lineage: before }).source);
    });
  trustCache.set(text, isTrusted);
  return isTrusted;
};

const isNumber = (value: string): boolean => /^-?\d{1,4}(\.\d+)?$/.test(value);

const isApproved = ({ approved }: RunLineage, tool: string, role: ArgumentRole, value: string): boolean =>
  approved.some(({ registration, input }) => {
    if (registration.key !== tool || !isObject(input)) return false;
    const roles = rolesOf(registration.tool);
    return leavesOf(input).some((leaf) => {
      const own = (roles.get(leaf.argument) ?? undeclared).role;
      if (own === "target" || own === "id") return own === role && leaf.value === value;
      return role === "target" && linksIn(leaf.value).includes(value);
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
  const read = text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  const found = new Set<string>();
  for (const pattern of linkPatterns) {
    for (const [link] of read.matchAll(pattern)) {
      const trimmed = link.replace(/[.,;:!?]+$/u, "");
      if (!isFileName(trimmed)) found.add(trimmed);
      if (found.size > maxLinks) return [text];
    }
  }
  // A part of another link, such as the host of an address.
  const links = [...found].filter(
    (link) => ![...found].some((other) => other !== link && other.includes(link)),
  );
  const rest = links.reduce((left, link) => left.replaceAll(link, " "), read);
  return isAddress(rest) ? [...links, text] : links;
};

/** `report.docx` looks like a host name. Endings that are top-level domains too are not listed. */
const isFileName = (link: string): boolean =>
  /^(?!www\.)[^/:@]+\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|json|ya?ml|xml|html?|png|jpe?g|gif|svg|log|js)$/i.test(
    link,
  );

/** Longer values are only the beginning of what was compared. */
const maxShown = 200;

const shorten = (value: string): string => (value.length > maxShown ? `${headOf(value, maxShown)}…` : value);

const excerptOf = ({ text }: RunText, value: string): string | undefined => {
  const at = text.toLowerCase().indexOf(value.toLowerCase());
  return at < 0 ? undefined : excerptAt(text, at, value.length);
};
