// The brand as CSS variables of the inbox widget: their names without `--tidings-`.
import type { Brand } from "@tidings/contract";

export const inboxTheme = ({ colors, cornerRadius, fontStack }: Brand): Record<string, string> => ({
  accent: `light-dark(${colors.primary}, ${colors.primaryDark})`,
  "on-accent": `light-dark(${colors.primaryText}, ${colors.primaryTextDark})`,
  background: `light-dark(${colors.surface}, ${colors.surfaceDark})`,
  text: `light-dark(${colors.text}, ${colors.textDark})`,
  radius: `${cornerRadius}px`,
  font: fontStack,
});
