const minNodeVersion = [22, 19] as const;

export const nodeVersionProblem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > minNodeVersion[0] || (major === minNodeVersion[0] && minor >= minNodeVersion[1]);
  return isEnough
    ? undefined
    : `Haft needs Node ${minNodeVersion.join(".")} or newer; this is Node ${version}.`;
};
