// Runs in each document of the page before anything else does.
const hits = [];

/** Signs that a text was interpreted as markup or code, or that a part of it is invisible. */
const findTraces = () => {
  const unseen =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/u;
  const found = [];
  // CRLF line ends are visible as line breaks.
  const isUnseen = (text) => unseen.test(text.replaceAll("\r\n", ""));
  const strange =
    "script:not([src]), iframe, object, embed, base, form[action], math, meta[http-equiv], svg script, style, b, marquee";
  for (const each of document.querySelectorAll(strange)) found.push(`<${each.localName}>`);
  for (const each of document.querySelectorAll("*")) {
    for (const { name, value } of each.attributes) {
      if (name.startsWith("on")) found.push(`${each.localName} ${name}`);
      const isShown = ["title", "aria-label", "alt", "placeholder", "aria-description"].includes(name);
      if (isShown && isUnseen(value))
        found.push(`${each.localName} ${name}=${JSON.stringify(value.slice(0, 80))}`);
      const isAddress = name === "href" || name === "src";
      if (
        isAddress &&
        new URL(value, location.href).origin !== location.origin &&
        !value.startsWith("data:image/")
      )
        found.push(`${each.localName} ${name}=${value.slice(0, 80)}`);
    }
  }
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { data } = node;
    if (isUnseen(data)) found.push(JSON.stringify(data.slice(0, 80)));
  }
  if (isUnseen(document.title)) found.push(`title ${document.title}`);
  return [...hits, ...found];
};

Object.assign(globalThis, { hit: () => hits.push("hit"), findTraces });
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  hits.push(`${effectiveDirective} ${blockedURI}`),
);
