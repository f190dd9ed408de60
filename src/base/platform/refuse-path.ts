const longest = 4_096;

/** Reserved device names of Windows, in every folder and with any extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

export const refusePath = (path: string, os: NodeJS.Platform = process.platform): string | undefined => {
  if (path.includes("\0")) return "contains a NUL character";
  if (path.length > longest) return `is longer than ${longest} characters`;
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(path)) return "is a URL, not a path";
  return os === "win32" ? refuseOnWindows(path) : undefined;
};

/** Forms that Windows resolves to another folder or to something that is not a file. */
const refuseOnWindows = (path: string): string | undefined => {
  if (/^[\\/]{2}/.test(path)) return "is a network or device path";
  if (/^[\\/]/.test(path)) return "points to the root of the current drive";
  const rest = path.replace(/^[a-z]:/i, "");
  if (rest !== path && !/^[\\/]/.test(rest)) return "is relative to a drive; write the full path";
  if (rest.includes(":")) return "is a stream of a file";
  for (const segment of rest.split(/[\\/]/)) {
    if (segment === "." || segment === "..") continue;
    if (/[. ]$/.test(segment)) return "has a part that ends in a dot or a space, which Windows drops";
    if (device.test(segment)) return `has the part "${segment}", which Windows treats as a device`;
    if (/~\d/.test(segment)) return `has the part "${segment}", which may be the short name of another file`;
  }
  return undefined;
};
