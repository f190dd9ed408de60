export type ResolvedTheme = "light" | "dark";

const darkModeQuery = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

export const resolveTheme = (): ResolvedTheme => {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : darkModeQuery().matches ? "dark" : "light";
};

export const onThemeChange = (changed: (theme: ResolvedTheme) => void): (() => void) => {
  const query = darkModeQuery();
  const tell = (): void => changed(resolveTheme());
  document.addEventListener("haft-theme", tell);
  query.addEventListener("change", tell);
  return () => {
    document.removeEventListener("haft-theme", tell);
    query.removeEventListener("change", tell);
  };
};
