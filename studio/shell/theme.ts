export type Theme = "system" | "light" | "dark";

const themeStorageKey = "haft-studio-theme";

export const readTheme = (): Theme => {
  const kept = localStorage.getItem(themeStorageKey);
  return kept === "light" || kept === "dark" ? kept : "system";
};

export const applyTheme = (theme: Theme): void => {
  if (theme === "system") {
    localStorage.removeItem(themeStorageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(themeStorageKey, theme);
    document.documentElement.dataset.theme = theme;
  }
  document.dispatchEvent(new Event("haft-theme"));
};
