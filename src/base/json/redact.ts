import * as Redacted from "effect/Redacted";
import { type JsonLimits, maxDepthOf, maxLengthOf } from "./json-problem.ts";
import { decodedLayers, mayBeEscaped, mayHideCharacters, toOriginalSpan } from "./secrets/decoded-layers.ts";
import { FormIndex, headerSecrets, minSecretLength, secretFormsOf } from "./secrets/form-index.ts";
import { maskSecretText, secretKeys } from "./secrets/mask-secret-text.ts";
import { maskSpans, redactedMark, type TextSpan } from "./secrets/span.ts";

export interface RedactorOptions {
  /** Called at every use, so that new secrets take effect at once. */
  readonly secrets?: () => Iterable<string>;
  readonly keys?: RegExp | readonly string[];
  readonly limits?: JsonLimits;
}

/** Never throws and never changes its input. */
export interface Redactor {
  /** A copy for records with limited depth and size. In doubt it masks more. */
  value(value: unknown): unknown;
  /** Masks only the known secrets, so that a model can still use the text. */
  text(text: string): string;
}

const isMaskable = (secret: unknown): secret is string =>
  typeof secret === "string" && secret.trim().length >= minSecretLength;

const maxEscapedWidth = 8;

interface SecretForms {
  readonly forms: readonly string[];
  round: number;
}

export class SecretValues {
  readonly #held = new Map<string, SecretForms>();
  #round = 0;
  #index = new FormIndex(Number.POSITIVE_INFINITY);
  /** Text that is cut must be searched this far beyond the cut. */
  #longest = 0;
  #holdsQuotes = false;

  /** Indexes only new secrets. */
  hold(secrets: readonly unknown[]): void {
    this.#round += 1;
    let count = 0;
    for (const secret of secrets.filter(isMaskable).flatMap((one) => [one, ...headerSecrets(one)])) {
      if (!isMaskable(secret)) continue;
      const held = this.#held.get(secret) ?? this.#add(secret);
      if (held.round === this.#round) continue;
      held.round = this.#round;
      count += 1;
    }
    if (count < this.#held.size) this.#dropOthers();
  }

  isSecret(text: string): boolean {
    return this.#held.has(text);
  }

  /** Also masks a secret that crosses the cut at `length`. */
  mask(text: string, length = text.length): string {
    if (this.#held.size === 0) return text.slice(0, length);
    const spans = this.#index.find(text.slice(0, length + this.#longest));
    const wide = text.slice(0, length + this.#longest * maxEscapedWidth);
    // Without quotes in secrets, an escaped quote cannot be inside one.
    const isEscaped = mayBeEscaped(wide) && (this.#holdsQuotes || mayHideCharacters(wide));
    return maskSpans(text, isEscaped ? spans.concat(this.#escapedSpans(wide)) : spans, length);
  }

  #escapedSpans(text: string): readonly TextSpan[] {
    const layers = decodedLayers(text);
    return layers.flatMap((layer, depth) =>
      this.#index.find(layer.text).map((span) => toOriginalSpan(layers, depth, span)),
    );
  }

  #add(secret: string): SecretForms {
    const forms = secretFormsOf(secret);
    const held = { forms, round: 0 };
    this.#held.set(secret, held);
    this.#holdsQuotes ||= /["'`\\\p{Cc}]/u.test(secret);
    const lengths = forms.map((form) => form.length);
    this.#longest = Math.max(this.#longest, ...lengths);
    const least = Math.min(...lengths);
    const isTooShort = least < this.#index.shortest;
    if (isTooShort) this.#index = new FormIndex(least);
    for (const form of isTooShort ? [...this.#held.values()].flatMap((one) => one.forms) : forms)
      this.#index.add(form);
    return held;
  }

  #dropOthers(): void {
    const forms: string[] = [];
    for (const [secret, held] of this.#held) {
      if (held.round === this.#round) continue;
      for (const form of held.forms) forms.push(form);
      this.#held.delete(secret);
    }
    this.#index.remove(forms);
  }
}

class RedactingCopier {
  readonly #isSecretKey: (key: string) => boolean;
  readonly #secrets: SecretValues;
  readonly #maxDepth: number;
  readonly #open: object[] = [];
  #left: number;

  constructor(isSecretKey: (key: string) => boolean, secrets: SecretValues, limits?: JsonLimits) {
    this.#isSecretKey = isSecretKey;
    this.#secrets = secrets;
    this.#maxDepth = maxDepthOf(limits);
    this.#left = maxLengthOf(limits);
  }

  value(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        return this.#secrets.isSecret(String(value)) ? redactedMark : value;
      case "bigint":
        return this.#text(String(value));
      case "function":
      case "symbol":
        return `[${typeof value}]`;
      case "object":
        return value === null ? null : this.#object(value);
      default:
        return value;
    }
  }

  #text(text: string): string {
    const length = Math.min(text.length, Math.max(this.#left, 0));
    this.#left -= text.length + 2;
    const masked = maskSecretText(this.#secrets.mask(text, length), this.#isSecretKey);
    return length < text.length ? `${masked}[cut]` : masked;
  }

  #object(value: object): unknown {
    if (this.#open.includes(value)) return "[circular]";
    if (this.#open.length >= this.#maxDepth) return "[too deep]";
    this.#open.push(value);
    try {
      return this.#parts(value);
    } catch {
      return "[unreadable]";
    } finally {
      this.#open.pop();
    }
  }

  #parts(value: object): unknown {
    if (Array.isArray(value)) return this.#items(value);
    if (Redacted.isRedacted(value)) return redactedMark;
    if (value instanceof Date) return value.toISOString();
    if (value instanceof URL) return this.#text(value.href);
    if (value instanceof Set) return this.#items(value);
    if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
      return this.#pairs(value);
    }
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    return this.#record(value as Record<string, unknown>);
  }

  #items(items: Iterable<unknown>): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      if (--this.#left < 0) {
        copy.push("[cut]");
        break;
      }
      copy.push(this.value(item));
    }
    return copy;
  }

  #pairs(pairs: Iterable<readonly [unknown, unknown]>): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const [name, member] of pairs) {
      const key = typeof name === "string" ? name : `[${typeof name}]`;
      if (!this.#member(copy, key, member, this.#isSecretKey(key))) break;
    }
    return copy;
  }

  #record(value: Record<string, unknown>): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    // `message` and `cause` of an error are not enumerable.
    const keys =
      value instanceof Error ? ["name", "message", "cause", ...Object.keys(value)] : Object.keys(value);
    for (const key of keys) {
      const member = readMember(value, key);
      const isSecret = this.#isSecretKey(key) || (key === "value" && this.#isLabeled(value));
      if (!this.#member(copy, key, member, isSecret)) break;
    }
    return copy;
  }

  /** Headers and variables are often `{ name: "Authorization", value: "…" }`. */
  #isLabeled(value: Record<string, unknown>): boolean {
    const label = readMember(value, "name") ?? readMember(value, "key");
    return typeof label === "string" && this.#isSecretKey(label);
  }

  /** Returns false when the size limit is reached. */
  #member(copy: Record<string, unknown>, key: string, member: unknown, isSecret: boolean): boolean {
    if (member === undefined) return true;
    this.#left -= key.length + 4;
    if (this.#left < 0) {
      copy["[cut]"] = true;
      return false;
    }
    const shown = key === "__proto__" ? "[__proto__]" : this.#secrets.mask(key);
    copy[shown] = isSecret && isRevealing(member) ? redactedMark : this.value(member);
    return true;
  }
}

const noSecrets = (): Iterable<string> => [];

const readMember = (value: Record<string, unknown>, key: string): unknown => {
  try {
    return value[key];
  } catch {
    return "[unreadable]";
  }
};

/** null, "" and booleans reveal nothing. */
const isRevealing = (value: unknown): boolean => value !== null && value !== "" && typeof value !== "boolean";

/** If the known secrets cannot be read, everything is masked. */
export const redactor = (options: RedactorOptions = {}): Redactor => {
  const isSecretKey = secretKeys(options.keys);
  const secrets = trackSecrets(options.secrets ?? noSecrets);
  const known = (): SecretValues | undefined => {
    try {
      return secrets();
    } catch {
      return undefined;
    }
  };
  return {
    value: (value) => {
      const found = known();
      return found === undefined
        ? redactedMark
        : new RedactingCopier(isSecretKey, found, options.limits).value(value);
    },
    text: (text) => known()?.mask(text) ?? redactedMark,
  };
};

const secretTrackers = new WeakMap<() => Iterable<string>, () => SecretValues>();

const createSecretTracker = (secrets: () => Iterable<string>): (() => SecretValues) => {
  const values = new SecretValues();
  let trackedSecrets: readonly string[] = [];
  let isFixed = false;
  return () => {
    const next = secrets();
    if (next === trackedSecrets && isFixed) return values;
    isFixed = Array.isArray(next) && Object.isFrozen(next);
    const list: readonly string[] = isFixed ? (next as readonly string[]) : [...next];
    if (list.length !== trackedSecrets.length || list.some((secret, at) => secret !== trackedSecrets[at]))
      values.hold(list);
    trackedSecrets = list;
    return values;
  };
};

/** Trackers of the same list share one search index. */
const trackSecrets = (secrets: () => Iterable<string>): (() => SecretValues) => {
  const known = secretTrackers.get(secrets);
  if (known !== undefined) return known;
  const made = createSecretTracker(secrets);
  secretTrackers.set(secrets, made);
  return made;
};
