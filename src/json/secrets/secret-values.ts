export const mask = "[redacted]";

/** Shorter secrets would hit ordinary words everywhere: records become unreadable, and the gaps give the secret away. */
const shortest = 4;

/**
 * How a secret shows inside longer base64: the text around it shifts it by 0, 1 or 2 bytes, and the characters
 * at its edges carry bits of the neighbors, so they are left off.
 */
const base64Forms = (secret: string): string[] => {
  const forms: string[] = [];
  for (let shift = 0; shift < 3; shift++) {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
    const sure = bytes
      .toString("base64")
      .slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
    forms.push(sure, sure.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
};

const urlForms = (secret: string): string[] => {
  const written = [
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  return [...written, ...written.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
};

const formsOf = (secret: string): string[] => [
  secret,
  secret.trim(),
  JSON.stringify(secret).slice(1, -1),
  ...urlForms(secret),
  ...base64Forms(secret),
];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A set of secrets, ready to be looked for. */
export class SecretValues {
  readonly secrets: readonly string[];
  /** The longest form; a text that is cut must be looked through this much further than it is kept. */
  readonly longest: number;
  readonly #whole: ReadonlySet<string>;
  readonly #forms: readonly string[];
  readonly #heads: RegExp;

  constructor(secrets: readonly string[]) {
    this.secrets = secrets;
    const long = secrets.filter((secret) => typeof secret === "string" && secret.trim().length >= shortest);
    this.#whole = new Set(long);
    this.#forms = [...new Set(long.flatMap(formsOf))].filter((form) => form.length >= shortest);
    this.longest = this.#forms.reduce((most, form) => Math.max(most, form.length), 0);
    const heads = [...new Set(this.#forms.map((form) => escaped(form.slice(0, 8))))];
    // A pattern of very many heads would be refused as too big; then each form is looked for on its own.
    this.#heads = new RegExp(heads.length <= 5_000 ? heads.join("|") : "");
  }

  isSecret(text: string): boolean {
    return this.#whole.has(text);
  }

  /** The first `length` characters with every form of every secret masked, also one that the cut goes through. */
  mask(text: string, length = text.length): string {
    if (this.longest === 0) return text.slice(0, length);
    const seen = text.slice(0, length + this.longest);
    if (!this.#heads.test(seen)) return text.slice(0, length);
    let masked = "";
    let at = 0;
    for (const range of this.#ranges(seen)) {
      if (range.start >= length) break;
      if (range.end <= at) continue;
      // Overlapping finds share one mask, so that no rest of either stays behind.
      if (range.start >= at) masked += seen.slice(at, range.start) + mask;
      at = range.end;
    }
    return masked + seen.slice(at, Math.max(at, length));
  }

  #ranges(text: string): Range[] {
    const ranges: Range[] = [];
    for (const form of this.#forms) {
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
        ranges.push({ start, end: start + form.length });
      }
    }
    return ranges.sort((one, other) => one.start - other.start);
  }
}

/** Follows a list of secrets that may change, and prepares it anew only when it did. */
export const followSecrets = (secrets: () => Iterable<string>): (() => SecretValues) => {
  let current = new SecretValues([]);
  return () => {
    const next = [...secrets()];
    const isSame =
      next.length === current.secrets.length && next.every((secret, i) => secret === current.secrets[i]);
    if (!isSame) current = new SecretValues(next);
    return current;
  };
};
