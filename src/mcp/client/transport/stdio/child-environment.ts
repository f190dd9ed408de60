const posixVariables = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
];

const windowsVariables = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Passes basic variables and those the operator names, so that no other keys or tokens are inherited. */
export const childEnvironment = (
  own: Readonly<Record<string, string>>,
  inherit: readonly string[],
  ours: ProcessEnvironment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> => {
  const environment: Record<string, string> = {};
  for (const name of [...(platform === "win32" ? windowsVariables : posixVariables), ...inherit]) {
    const value = ours[name];
    // Old shells execute such values (Shellshock).
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...own };
};
