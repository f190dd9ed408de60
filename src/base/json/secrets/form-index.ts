import { decodedLayers } from "./decoded-layers.ts";
import type { TextSpan } from "./span.ts";

/** Four characters at offset `from`. */
interface Window {
  readonly form: string;
  readonly from: number;
  next: Window | undefined;
}

const windowLength = 4;
const maxStride = 12;

/** Long texts are scanned as Latin-1 bytes, four at once, so a match must be compared with the form. */
const scratchBytes = Buffer.alloc(1 << 14);
const scratchView = new DataView(scratchBytes.buffer, scratchBytes.byteOffset, scratchBytes.length);
const longTextLength = 256;

const keyAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 255) |
  ((text.charCodeAt(at + 1) & 255) << 8) |
  ((text.charCodeAt(at + 2) & 255) << 16) |
  (text.charCodeAt(at + 3) << 24);

const flagIndexOf = (key: number, shift: number): number => Math.imul(key, 0x9e3779b1) >>> shift;

/**
 * Searches many forms in one pass that samples every few characters: every form has a window at a sampled
 * offset. Windows are taken from the end, because tokens of one kind share a prefix.
 */
export class FormIndex {
  readonly shortest: number;
  readonly #stride: number;
  readonly #windows = new Map<number, Window>();
  /** Checked before the slower map. */
  #flags = new Uint8Array(1 << 14);
  #shift = 18;

  constructor(shortest: number) {
    this.#stride = Math.min(maxStride, shortest - windowLength + 1);
    this.shortest = this.#stride + windowLength - 1;
  }

  add(form: string): void {
    for (let from = form.length - windowLength; from > form.length - windowLength - this.#stride; from--) {
      const key = keyAt(form, from);
      this.#windows.set(key, { form, from, next: this.#windows.get(key) });
      this.#flag(key);
    }
    if (this.#windows.size * 16 > this.#flags.length && this.#shift > 12) this.#size(this.#shift - 2);
  }

  remove(forms: Iterable<string>): void {
    for (const form of forms) {
      for (let from = form.length - windowLength; from > form.length - windowLength - this.#stride; from--) {
        const key = keyAt(form, from);
        const rest = withoutWindow(this.#windows.get(key), form, from);
        if (rest === undefined) this.#windows.delete(key);
        else this.#windows.set(key, rest);
      }
    }
    this.#size(this.#shift);
  }

  find(text: string): TextSpan[] {
    const spans: TextSpan[] = [];
    const flags = this.#flags;
    const shift = this.#shift;
    const stride = this.#stride;
    if (text.length < longTextLength) {
      for (let at = 0; at <= text.length - windowLength; at += stride) {
        const key = keyAt(text, at);
        if (flags[flagIndexOf(key, shift)] !== 0) this.#compare(text, at, key, spans);
      }
      return spans;
    }
    for (let first = 0; first <= text.length - windowLength; ) {
      const last =
        scratchBytes.write(text.slice(first, first + scratchBytes.length), "latin1") - windowLength;
      let at = 0;
      for (; at <= last; at += stride) {
        const key = scratchView.getInt32(at, true);
        if (flags[flagIndexOf(key, shift)] !== 0) this.#compare(text, first + at, key, spans);
      }
      first += at;
    }
    return spans;
  }

  #compare(text: string, at: number, key: number, spans: TextSpan[]): void {
    for (let window = this.#windows.get(key); window !== undefined; window = window.next) {
      const { form, from } = window;
      if (at >= from && text.startsWith(form, at - from))
        spans.push({ start: at - from, end: at - from + form.length });
    }
  }

  #flag(key: number): void {
    this.#flags[flagIndexOf(key, this.#shift)] = 1;
  }

  #size(shift: number): void {
    this.#shift = shift;
    this.#flags = new Uint8Array(1 << (32 - shift));
    for (const key of this.#windows.keys()) this.#flag(key);
  }
}

const withoutWindow = (windows: Window | undefined, form: string, from: number): Window | undefined => {
  let before: Window | undefined;
  for (let window = windows; window !== undefined; window = window.next) {
    if (window.from !== from || window.form !== form) before = window;
    else if (before === undefined) return window.next;
    else {
      before.next = window.next;
      break;
    }
  }
  return windows;
};

/** Shorter secrets would match ordinary words. */
export const minSecretLength = 4;

/**
 * Inside longer base64 a secret is shifted by 0, 1 or 2 bytes. The edge characters carry bits of other bytes.
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

const hexForms = (secret: string): string[] => {
  const hex = Buffer.from(secret).toString("hex");
  return [hex, hex.toUpperCase()];
};

/** Short secrets would match ordinary words. */
const casedForms = (secret: string): string[] =>
  secret.length < 2 * minSecretLength ? [] : [secret.toUpperCase(), secret.toLowerCase()];

/** Short results would match ordinary words. */
const decodedForms = (secret: string): string[] =>
  decodedLayers(secret).flatMap(({ text }) => (text.length >= 2 * minSecretLength ? [text] : []));

const writtenForms = (secret: string): string[] => [
  secret,
  secret.trim(),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll(" ", "+"),
  ...urlForms(secret),
];

/** Escapes of single characters are decoded in the searched text instead. */
export const secretFormsOf = (secret: string): readonly string[] => {
  const forms = [
    ...[secret, ...casedForms(secret)].flatMap(writtenForms),
    ...decodedForms(secret),
    ...base64Forms(secret),
    ...hexForms(secret.trim()),
  ];
  return [...new Set(forms)].filter((form) => form.length >= minSecretLength);
};

const headerPattern = /^\s*([A-Za-z][\w-]*)\s+(\S+)\s*$/;
/** A short second word may be an ordinary one. */
const minSecondWordLength = 2 * minSecretLength;

export const passwordOf = (pair: string): string | undefined => {
  const at = pair.indexOf(":");
  return at < 0 ? undefined : pair.slice(at + 1);
};

/** Services repeat a token without its scheme, and a password without its user. */
export const headerSecrets = (secret: string): readonly string[] => {
  const [, scheme, token] = headerPattern.exec(secret) ?? [];
  if (token === undefined || token.length < minSecondWordLength) return [];
  if (scheme!.toLowerCase() !== "basic") return [token];
  const pair = Buffer.from(token, "base64").toString();
  const password = passwordOf(pair);
  return password === undefined ? [token] : [token, pair, password];
};
