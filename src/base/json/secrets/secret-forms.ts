import { decodedLayers } from "./decoded-layers.ts";

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
